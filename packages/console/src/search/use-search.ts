import { useQueryClient } from '@tanstack/vue-query'
import { computed, onScopeDispose, ref, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { modelsAllowing } from '../models/allowed-models.ts'
import { manyOf } from '../models/kind-words.ts'
import type { ListedModel } from '../models/listed-models.ts'
import { documentKey, readDocument, schemaIn } from '../models/use-model.ts'
import { held } from '../session/permissions.ts'
import type { MenuSection } from '../shell/use-menu.ts'
import { words } from '../words/words.ts'
import { actionHits, pageHits } from './commands.ts'
import {
  findObjects,
  mostModels,
  oneVersionOfEach,
  type FindOptions,
  type FoundObjects,
  type KnownOfSearch,
} from './find-objects.ts'
import type { Hit, HitGroup } from './hit.ts'
import { matching } from './match.ts'
import { recentHits } from './recent-hits.ts'
import { nameLike } from './search-terms.ts'

/** Objects are searched from `leastCharacters` on, after this pause in typing. */
const pauseMs = 200
const leastCharacters = 2
const mostOfEach = 20
const mostRecent = 6
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
export function useSearch(menu: () => readonly MenuSection[], showKeys: () => void): Search {
  const router = useRouter()
  const route = useRoute()
  const query = ref('')
  const recent = shallowRef<readonly Hit[]>([])
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
      const [made, visited] = await Promise.all([
        actionHits({ route, showKeys }).catch(() => []),
        recentHits(router).catch(() => []),
      ])
      if (mine !== latest) return
      actions.value = made
      recent.value = visited
    },
    { immediate: true },
  )
  const addressOf = ({ key, act }: Hit) => (typeof act === 'function' ? key : router.resolve(act).fullPath)
  const groups = computed(() => {
    const { search } = words.value
    const doing = { heading: search.actions, hits: matching(typed.value, actions.value).slice(0, mostOfEach) }
    const pages = { heading: search.pages, hits: matching(typed.value, pageHits(menu())).slice(0, mostOfEach) }
    if (isActions.value) return doing.hits.length > 0 ? [doing] : []
    const visited = { heading: search.recent, hits: matching(typed.value, recent.value).slice(0, mostRecent) }
    const first = new Set(visited.hits.map(addressOf))
    const others = [pages, ...stillMatching(objects.value, typed.value), doing].map(({ heading, hits }) => ({
      heading,
      hits: hits.filter((hit) => !first.has(addressOf(hit))),
    }))
    const all = [visited, ...others]
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
  const known: KnownOfSearch = { nothingFor: new Map(), few: new Map() }
  // Read once: the search is open for seconds.
  let models: Promise<readonly ListedModel[]> | undefined
  const readModels = async () => {
    models ??= modelsAllowing('list')
    models.catch(() => (models = undefined))
    return models
  }
  let stop = new AbortController()
  const find = async (typed: string, { signal }: AbortController) => {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (signal.aborted) return
    try {
      const listed = await readModels()
      left.value = Math.max(0, oneVersionOfEach(listed).length - mostModels)
      const found = await findObjects(listed, typed, { signal, schemaOf, known })
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
