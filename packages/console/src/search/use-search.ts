import { useQueryClient } from '@tanstack/vue-query'
import { computed, onScopeDispose, ref, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import { modelsAllowing } from '../models/allowed-models.ts'
import { manyOf } from '../models/kind-words.ts'
import { documentKey, readDocument, schemaIn } from '../models/use-model.ts'
import { held } from '../session/permissions.ts'
import type { MenuSection } from '../shell/use-menu.ts'
import { words } from '../words/words.ts'
import { actionHits, pageHits } from './commands.ts'
import { findObjects, mostModels, oneVersionOfEach, type FindOptions, type FoundObjects } from './find-objects.ts'
import type { Hit, HitGroup } from './hit.ts'
import { matching } from './match.ts'
import { nameLike } from './search-terms.ts'

/** Objects are searched from `leastCharacters` on, after this pause in typing. */
const pauseMs = 200
const leastCharacters = 2
const mostOfEach = 20
const nothing: FoundObjects = { groups: [], hasMore: false }
/** A leading sign that limits the search to actions. */
const onlyActions = '>'

export interface Search {
  readonly query: Ref<string>
  /** The query without that sign. */
  readonly typed: ComputedRef<string>
  readonly groups: ComputedRef<readonly HitGroup[]>
  readonly isSearching: Ref<boolean>
  readonly error: ShallowRef<unknown>
  /** More objects match than are listed. */
  readonly hasMore: ComputedRef<boolean>
  /** How many models the search skips because of its bound. */
  readonly left: Ref<number>
}

/** Searches pages and actions at once, objects on the server; lists only what the signed-in user may use. */
export function useSearch(menu: () => readonly MenuSection[]): Search {
  const query = ref('')
  const actions = shallowRef<readonly Hit[]>([])
  const isActions = computed(() => query.value.trimStart().startsWith(onlyActions))
  const typed = computed(() =>
    query.value
      .trimStart()
      .slice(isActions.value ? 1 : 0)
      .trim(),
  )
  const { objects, isSearching, error, left } = useFoundObjects(() => (isActions.value ? '' : typed.value))
  let latest = 0
  watch(
    [held, words],
    async () => {
      const mine = ++latest
      const made = await actionHits().catch(() => [])
      if (mine === latest) actions.value = made
    },
    { immediate: true },
  )
  const groups = computed(() => {
    const { search } = words.value
    const doing = { heading: search.actions, hits: matching(typed.value, actions.value).slice(0, mostOfEach) }
    const pages = { heading: search.pages, hits: matching(typed.value, pageHits(menu())).slice(0, mostOfEach) }
    const all = isActions.value ? [doing] : [pages, ...stillMatching(objects.value, typed.value), doing]
    return all.filter(({ hits }) => hits.length > 0)
  })
  return { query, typed, groups, isSearching, error, hasMore: computed(() => objects.value.hasMore), left }
}

/** Until the server answers, keeps earlier results that still match. */
function stillMatching({ groups }: FoundObjects, typed: string): readonly HitGroup[] {
  const name = nameLike(typed)
  const parts = typed.toLowerCase().split(/\s+/)
  const isFound = (title: string) => parts.every((part) => title.toLowerCase().includes(part))
  return groups.map(({ model, hits }) => ({
    heading: manyOf(model),
    hits: hits.filter((hit) => hit.name.startsWith(name) || isFound(hit.title)),
  }))
}

function useFoundObjects(
  query: () => string,
): Pick<Search, 'isSearching' | 'error' | 'left'> & { objects: ShallowRef<FoundObjects> } {
  const queryClient = useQueryClient()
  const objects = shallowRef(nothing)
  const isSearching = ref(false)
  const error = shallowRef<unknown>()
  const left = ref(0)
  const schemaOf: FindOptions['schemaOf'] = async (model) => {
    const queryKey = documentKey(model)
    const queryFn = async ({ signal }: { readonly signal: AbortSignal }) => readDocument(model, signal)
    return schemaIn(await queryClient.ensureQueryData({ queryKey, queryFn }), model.kind)
  }
  let stop = new AbortController()
  const find = async (typed: string, { signal }: AbortController) => {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (signal.aborted) return
    try {
      const models = await modelsAllowing('list')
      left.value = Math.max(0, oneVersionOfEach(models).length - mostModels)
      const found = await findObjects(models, typed, { signal, schemaOf })
      if (!signal.aborted) objects.value = found
    } catch (reason) {
      if (!signal.aborted) error.value = reason
    } finally {
      if (!signal.aborted) isSearching.value = false
    }
  }
  watch(query, (now) => {
    stop.abort()
    stop = new AbortController()
    error.value = undefined
    isSearching.value = now.length >= leastCharacters
    if (isSearching.value) void find(now, stop)
    else objects.value = nothing
  })
  onScopeDispose(() => stop.abort())
  return { objects, isSearching, error, left }
}
