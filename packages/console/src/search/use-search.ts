import { computed, onScopeDispose, ref, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import { modelsAllowing } from '../models/allowed-models.ts'
import { held } from '../session/permissions.ts'
import type { MenuSection } from '../shell/use-menu.ts'
import { words } from '../words/words.ts'
import { actionHits, pageHits } from './commands.ts'
import { findObjects, mostModels, nameLike, oneVersionOfEach, type FoundObjects } from './find-objects.ts'
import type { Hit, HitGroup } from './hit.ts'
import { matching } from './match.ts'

/** Objects are searched after a pause in typing, from this many characters on. */
const pauseMs = 200
const leastCharacters = 2
const mostOfEach = 20
const nothing: FoundObjects = { hits: [], hasMore: false }

export interface Search {
  readonly query: Ref<string>
  readonly groups: ComputedRef<readonly HitGroup[]>
  readonly isSearching: Ref<boolean>
  readonly error: ShallowRef<unknown>
  /** More objects match than are shown. */
  readonly hasMore: ComputedRef<boolean>
  /** How many models are not searched for objects, because there are too many. */
  readonly left: Ref<number>
}

/** Pages and actions at once, objects as the server finds them; only what the signed-in user may use. */
export function useSearch(menu: () => readonly MenuSection[]): Search {
  const query = ref('')
  const actions = shallowRef<readonly Hit[]>([])
  const { objects, isSearching, error, left } = useFoundObjects(query)
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
    const typed = query.value.trim()
    // Until the server has answered, what was found before stays as far as it still matches.
    const name = nameLike(typed)
    const found = objects.value.hits
      .filter(({ title }) => title.startsWith(name))
      .toSorted((one, other) => Number(other.title === name) - Number(one.title === name))
    return [
      { heading: search.pages, hits: matching(typed, pageHits(menu())).slice(0, mostOfEach) },
      { heading: search.actions, hits: matching(typed, actions.value).slice(0, mostOfEach) },
      { heading: search.objects, hits: found.slice(0, mostOfEach) },
    ].filter(({ hits }) => hits.length > 0)
  })
  const hasMore = computed(() => objects.value.hasMore || objects.value.hits.length > mostOfEach)
  return { query, groups, isSearching, error, hasMore, left }
}

function useFoundObjects(
  query: Ref<string>,
): Pick<Search, 'isSearching' | 'error' | 'left'> & { objects: ShallowRef<FoundObjects> } {
  const objects = shallowRef(nothing)
  const isSearching = ref(false)
  const error = shallowRef<unknown>()
  const left = ref(0)
  let stop = new AbortController()
  const find = async (typed: string, { signal }: AbortController) => {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (signal.aborted) return
    try {
      const models = await modelsAllowing('list')
      left.value = Math.max(0, oneVersionOfEach(models).length - mostModels)
      const found = await findObjects(models, typed, signal)
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
    isSearching.value = now.trim().length >= leastCharacters
    if (isSearching.value) void find(now, stop)
    else objects.value = nothing
  })
  onScopeDispose(() => stop.abort())
  return { objects, isSearching, error, left }
}
