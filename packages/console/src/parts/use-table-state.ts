import { computed, onScopeDispose, type ComputedRef } from 'vue'
import { useRoute, useRouter, type LocationQuery, type LocationQueryRaw } from 'vue-router'
import { fromAddress, toAddress, type ListState } from '../models/list-state.ts'

export interface TableState {
  readonly state: ComputedRef<ListState>
  /** Changes the given parts; another filter, order or size returns to page 1. */
  readonly change: (to: Partial<ListState>) => void
}

/** Names of the tables of the shown page. */
const names = new Set<string>()

/** The state of a table in the address of a plugin's page, beside the page's own parameters: `loans.sort=spec.due,asc`. */
export function useTableState(plural: string, firstSort: readonly string[]): TableState {
  const route = useRoute()
  const router = useRouter()
  const { path } = route
  const name = freeName(plural)
  names.add(name)
  const state = computed(() => {
    const own = ownIn(route.query, name)
    const { sort, ...others } = fromAddress(own)
    return { ...others, sort: own['sort'] === undefined ? firstSort : sort.filter((by) => by !== '') }
  })
  const put = (own: LocationQueryRaw) => {
    const prefixed = Object.entries(own).map(([key, value]) => [`${name}.${key}`, value])
    return { query: { ...withoutOwn(route.query, name), ...Object.fromEntries(prefixed) } }
  }
  onScopeDispose(() => {
    names.delete(name)
    // Another table of the page may get the name.
    if (route.path === path && Object.keys(ownIn(route.query, name)).length > 0) void router.replace(put({}))
  })
  return {
    state,
    change: (to) => {
      const next = { ...state.value, page: 1, ...to }
      const isFirst = next.sort.join() === firstSort.join()
      const { sort: _, ...others } = toAddress(next)
      // An empty text stands for the usual order, where the page begins with another one.
      void router.push(put({ ...others, ...(!isFirst && { sort: next.sort.length === 0 ? '' : [...next.sort] }) }))
    },
  }
}

function freeName(plural: string): string {
  let name = plural
  for (let number = 2; names.has(name); number++) name = `${plural}-${number}`
  return name
}

function ownIn(query: LocationQuery, name: string): LocationQuery {
  const own = Object.entries(query).filter(([key]) => key.startsWith(`${name}.`))
  return Object.fromEntries(own.map(([key, value]) => [key.slice(name.length + 1), value]))
}

function withoutOwn(query: LocationQuery, name: string): LocationQuery {
  return Object.fromEntries(Object.entries(query).filter(([key]) => !key.startsWith(`${name}.`)))
}
