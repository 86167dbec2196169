import type { ApiObject, List, ListQuery, ResourceType } from '@pergola/client'
import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, ref, shallowRef, watch, type ComputedRef, type Ref } from 'vue'
import { client } from '../server/client.ts'
import { ownWrites } from '../server/own-writes.ts'
import { useWatch } from '../server/use-watch.ts'
import { useMay } from '../session/use-may.ts'
import { answers, isPassing, rowsAfter, type ShownRows } from './live-rows.ts'
import { isSame } from './same.ts'

export interface LivePage<Stored extends ApiObject> {
  /** The latest response: totals, and whether there are other pages. */
  readonly page: ComputedRef<List<Stored> | undefined>
  /** The rows to show. New objects are not among them until `showFresh`. */
  readonly rows: ComputedRef<readonly Stored[]>
  /** How many new objects would appear on this page. */
  readonly fresh: ComputedRef<number>
  readonly showFresh: () => void
  /** The rows answer an earlier query; the current one has no response yet. */
  readonly isStale: ComputedRef<boolean>
  /** Why there are no rows. */
  readonly error: ComputedRef<unknown>
}

/** A response, with the query that it answers. */
interface Answer<Stored extends ApiObject> {
  readonly type: ResourceType<Stored>
  readonly query: ListQuery
  readonly page: List<Stored>
}

/** Changes within this period share one request. */
const pauseMs = 250
const againMs = 2_000
/** Upper bound of remembered changes; beyond it, rows are replaced by every response. */
const mostTouched = 5_000

/** A live page of a list: rows update in place; new objects wait for `showFresh`, so that rows do not move while being read. */
export function useLivePage<Stored extends ApiObject>(
  type: () => ResourceType<Stored>,
  query: () => ListQuery,
): LivePage<Stored> {
  /** Uids of changed objects, each with the sequence number of its change. */
  const touched = new Map<string, number>()
  let changes = 0
  let changesBeforeRead = 0
  const list = useQuery({
    queryKey: computed((): readonly unknown[] => ['objects', type(), query()]),
    queryFn: async ({ signal, queryKey }): Promise<Answer<Stored>> => {
      const [, of, where] = queryKey as readonly [unknown, ResourceType<Stored>, ListQuery]
      changesBeforeRead = changes
      return { type: of, query: where, page: await client.resource(of).list(where, { signal }) }
    },
    // An equal response must count as new, because the watch continues after its revision.
    structuralSharing: false,
    staleTime: 0,
    retry: false,
    // Retries until the server answers again.
    refetchInterval: ({ state }) => (state.status === 'error' && isPassing(state.error) ? againMs : false),
  })
  const asked = computed(() => ({ type: type(), query: query() }))
  const page = computed(() => {
    const answer = list.data.value
    return answer && answers(answer, asked.value) ? answer.page : undefined
  })
  const shown = shallowRef<ShownRows<Stored>>()
  /** The latest failure of the current query; stays while the query is tried again. */
  const failure = shallowRef<unknown>()
  const forget = () => {
    for (const [uid, change] of touched) if (change <= changesBeforeRead) touched.delete(uid)
  }
  watch(
    [page, list.isFetchedAfterMount, list.error, asked, ownWrites],
    ([now, isFetched, error, current, own], [, , , before]) => {
      const known = touched.size < mostTouched ? touched : undefined
      shown.value = rowsAfter(shown.value, { ...current, page: now, error, isFetched, touched: known, own })
      if (now && shown.value?.fresh === 0) forget()
      failure.value = error ?? (now || !isSame(current, before) ? undefined : failure.value)
    },
    { immediate: true },
  )
  useChanges({ type, page, list }, (uid) => touched.set(uid, ++changes))
  return {
    page: computed(() => shown.value?.page),
    rows: computed(() => shown.value?.rows ?? []),
    fresh: computed(() => shown.value?.fresh ?? 0),
    showFresh: () => {
      if (shown.value) shown.value = { ...shown.value, rows: shown.value.page.items, fresh: 0 }
      forget()
    },
    isStale: computed(() => shown.value !== undefined && !answers(shown.value, asked.value)),
    error: computed(() => (shown.value && isPassing(failure.value) ? undefined : failure.value)),
  }
}

interface Changing<Stored extends ApiObject> {
  readonly type: () => ResourceType<Stored>
  readonly page: Readonly<Ref<List<Stored> | undefined>>
  readonly list: {
    readonly isFetchedAfterMount: Readonly<Ref<boolean>>
    readonly isFetching: Readonly<Ref<boolean>>
  }
}

/** Reads the page again after changes, because only the server knows which objects belong to it. */
function useChanges<Stored extends ApiObject>(
  { type, page, list }: Changing<Stored>,
  onChange: (uid: string) => void,
): void {
  const queryClient = useQueryClient()
  const from = ref<string>()
  watch(
    [type, page, list.isFetchedAfterMount],
    ([now, data, isFetched], [before]) => {
      if (!isSame(now, before)) from.value = undefined
      if (data && isFetched) from.value ??= data.revision
    },
    { immediate: true },
  )
  // Without the right to watch, each response would start a watch whose rejection triggers the next read.
  const mayWatch = useMay(() => ({ verb: 'watch', group: type().group, resource: type().plural }))
  let isDue = false
  let isAgain = false
  const readSoon = () => {
    isAgain = isDue
    if (isDue) return
    isDue = true
    setTimeout(() => void readNow(), pauseMs)
  }
  const readNow = async () => {
    // Does not cancel a read in flight, or none would complete under steady changes. It may lack the latest change.
    isAgain = list.isFetching.value
    await queryClient.invalidateQueries({ queryKey: ['objects', type()] }, { cancelRefetch: false })
    isDue = false
    if (isAgain) readSoon()
  }
  useWatch(
    () => (from.value === undefined || !mayWatch.value ? undefined : { type: type(), revision: from.value }),
    (event) => {
      // The next watch starts at the revision of the next read, so no change is missed.
      if (event === null) from.value = undefined
      else onChange(event.object.metadata.uid)
      readSoon()
    },
  )
}
