import { computed, ref, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'
import { useRouter, type LocationQueryRaw } from 'vue-router'
import { changeOwn, readOwn } from '../session/own-keep.ts'
import { session } from '../session/session.ts'
import { toAddress, type ListState } from './list-state.ts'
import { isSameQuery, renamed, viewsIn, withoutView, withView, type SavedView, type ViewQuery } from './saved-views.ts'

export interface UsedViews {
  readonly views: Readonly<ShallowRef<readonly SavedView[]>>
  /** The view that was chosen last; what the page shows may differ from it by now. */
  readonly chosen: ComputedRef<SavedView | undefined>
  readonly isEdited: ComputedRef<boolean>
  /** The list as the model has it: no filter, usual order, size and columns. */
  readonly isPlain: ComputedRef<boolean>
  readonly save: (name: string) => Promise<void>
  readonly rename: (name: string) => Promise<void>
  /** Returns a function that restores the view. */
  readonly remove: () => Promise<() => void>
  /** Address of what the page shows. */
  readonly link: () => string
}

interface Viewed {
  /** Names the list among those of this user. */
  readonly list: () => string
  readonly state: () => ListState
  /** Keys of the columns that are shown, if they can be chosen. */
  readonly columns?: () => readonly string[]
}

/** The views of a list that the signed-in user saved in this browser. */
export function useViews({ list, state, columns }: Viewed): UsedViews {
  const router = useRouter()
  const views = shallowRef<readonly SavedView[]>([])
  const chosenName = ref<string>()
  const place = () => `views.${list()}`
  const chosen = computed(() => views.value.find(({ name }) => name === chosenName.value))
  const now = computed(() => addressOf(state()))
  const isPlain = computed(() => isSameQuery(now.value, {}))

  watch(
    [list, session],
    async ([after], [before], onCleanup) => {
      let isOld = false
      onCleanup(() => (isOld = true))
      if (after !== before) views.value = []
      const kept = await readOwn(place())
      if (!isOld) views.value = viewsIn(kept)
    },
    { immediate: true },
  )
  watch(
    [now, views],
    () => {
      const same = views.value.find(({ query }) => isSameQuery(query, now.value))
      if (same || isPlain.value) chosenName.value = same?.name
    },
    { immediate: true },
  )
  const keep = async (change: (before: readonly SavedView[]) => readonly SavedView[]) => {
    await changeOwn(place(), (kept) => (views.value = change(viewsIn(kept))))
  }
  return {
    views,
    chosen,
    isPlain,
    isEdited: computed(() => chosen.value !== undefined && !isSameQuery(chosen.value.query, now.value)),
    save: async (name) => {
      const query = addressOf({ ...state(), ...(columns && { columns: columns() }) })
      await keep((before) => withView(before, { name, query }))
      chosenName.value = name
      await router.push({ query: query as LocationQueryRaw })
    },
    rename: async (name) => {
      const from = chosenName.value ?? ''
      await keep((before) => renamed(before, from, name))
      chosenName.value = name
    },
    remove: async () => {
      const view = chosen.value
      if (view) await keep((before) => withoutView(before, view.name))
      return () => view && void keep((before) => withView(before, view))
    },
    link: () => new URL(router.resolve({ query: toAddress(shared(state())) }).href, location.href).href,
  }
}

function addressOf(state: ListState): ViewQuery {
  return toAddress({ ...shared(state), page: 1 })
}

function shared(state: ListState): ListState {
  return { ...state, open: undefined }
}
