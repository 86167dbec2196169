import { isApiError, type ApiObject, type List, type ListQuery, type ResourceType } from '@pergola/client'
import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, ref, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import { client } from '../server/client.ts'
import { useWatch } from '../server/use-watch.ts'
import { useMay } from '../session/use-may.ts'
import { isSame } from './same.ts'

export interface LivePage<Stored extends ApiObject> {
  /** The last response: totals, and whether there are other pages. */
  readonly page: ComputedRef<List<Stored> | undefined>
  /** The rows to show. New objects are not among them until `showFresh`. */
  readonly rows: ShallowRef<readonly Stored[]>
  /** How many new objects would appear on this page. */
  readonly fresh: Ref<number>
  readonly showFresh: () => void
  /** The rows answer an earlier query; the current one is in flight. */
  readonly isStale: ComputedRef<boolean>
  /** Why there are no rows. */
  readonly error: ComputedRef<unknown>
}

/** Changes within this period share one request. */
const pauseMs = 250
const mostRetries = 5
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
  const rows = shallowRef<readonly Stored[]>([])
  const list = useQuery({
    queryKey: computed((): readonly unknown[] => ['objects', type(), query()]),
    queryFn: async ({ signal }) => {
      changesBeforeRead = changes
      return client.resource(type()).list(query(), { signal })
    },
    placeholderData: (previous, of) => (isSame(of?.queryKey[1], type()) ? previous : undefined),
    // An equal response must count as new, because the watch continues after its revision.
    structuralSharing: false,
    staleTime: 0,
    // Keeps the rows while the server restarts, and reads again afterwards.
    retry: (failures, reason) => rows.value.length > 0 && failures < mostRetries && isPassing(reason),
    // Retries until the server answers again.
    refetchInterval: ({ state }) => (state.status === 'error' && isPassing(state.error) ? againMs : false),
  })
  const fresh = ref(0)
  const showFresh = () => {
    rows.value = list.data.value?.items ?? []
    fresh.value = 0
    for (const [uid, change] of touched) if (change <= changesBeforeRead) touched.delete(uid)
  }

  // Shows the response to a new query, or the first one on this page, without holding rows back.
  let settled: unknown
  watch(
    [list.data, list.isFetchedAfterMount, list.isPlaceholderData],
    ([now, isFetched, isPlaceholder]) => {
      if (isPlaceholder) return
      const shown = [type(), query()]
      const isRead = isSame(settled, shown) && rows.value.length > 0 && touched.size < mostTouched
      const held = now && isRead ? heldRows(rows.value, now.items, touched) : undefined
      if (held && held.fresh > 0 && held.rows.length > 0) {
        rows.value = held.rows
        fresh.value = held.fresh
      } else showFresh()
      settled = isFetched ? shown : undefined
    },
    { immediate: true },
  )
  useChanges({ type, list }, (uid) => touched.set(uid, ++changes))
  return {
    page: computed(() => list.data.value),
    rows,
    fresh,
    showFresh,
    isStale: computed(() => list.isPlaceholderData.value),
    error: computed(() => {
      const reason = list.error.value ?? undefined
      return list.data.value !== undefined && isPassing(reason) ? undefined : reason
    }),
  }
}

/** Whether a retry may succeed soon: the server cannot be reached, or restarts. */
function isPassing(reason: unknown): boolean {
  return !isApiError(reason) || reason.status >= 500
}

/** Updates the shown rows without moving them; drops rows that were deleted or left the page by their own change. */
function heldRows<Stored extends ApiObject>(
  shown: readonly Stored[],
  latest: readonly Stored[],
  touched: ReadonlyMap<string, number>,
): { readonly rows: readonly Stored[]; readonly fresh: number } {
  const known = new Set(shown.map(({ metadata }) => metadata.uid))
  const byUid = new Map(latest.map((object) => [object.metadata.uid, object]))
  const fresh = latest.filter(({ metadata: { uid } }) => !known.has(uid) && touched.has(uid)).length
  const rows = shown.flatMap((object) => {
    const { uid } = object.metadata
    return byUid.get(uid) ?? (touched.has(uid) ? [] : [object])
  })
  return { rows, fresh }
}

interface Changing<Stored extends ApiObject> {
  readonly type: () => ResourceType<Stored>
  readonly list: {
    readonly data: Readonly<Ref<List<Stored> | undefined>>
    readonly isFetchedAfterMount: Readonly<Ref<boolean>>
    readonly isFetching: Readonly<Ref<boolean>>
  }
}

/** Reads the page again after changes, because only the server knows which objects belong to it. */
function useChanges<Stored extends ApiObject>({ type, list }: Changing<Stored>, onChange: (uid: string) => void): void {
  const queryClient = useQueryClient()
  const from = ref<string>()
  watch(
    [type, list.data, list.isFetchedAfterMount],
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
