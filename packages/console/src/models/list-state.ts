import { formatSelector, parseSelector, type UnplacedSelectorTerm } from '@pergola/api'
import type { ListQuery } from '@pergola/client'
import { computed, type ComputedRef } from 'vue'
import { useRoute, useRouter, type LocationQuery } from 'vue-router'

/** The state of a table, kept in the address: a shared link shows the same rows. */
export interface ListState {
  readonly where: readonly UnplacedSelectorTerm[]
  readonly labels: string
  readonly sort: readonly string[]
  readonly page: number
  readonly size: number
  /** Keys of the columns beside the title; without it, the usual ones of this browser. */
  readonly columns?: readonly string[] | undefined
  /** Name of the object in the preview. */
  readonly open?: string | undefined
}

const sizes: ReadonlySet<number> = new Set([20, 50, 100])
const usualSize = 50

export interface UsedListState {
  readonly state: ComputedRef<ListState>
  readonly query: ComputedRef<ListQuery>
  /** Changes the given parts; another filter, order or size returns to page 1. */
  readonly change: (to: Partial<ListState>) => void
}

export function useListState(): UsedListState {
  const route = useRoute()
  const router = useRouter()
  const state = computed(() => fromAddress(route.query))
  const query = computed(() => {
    const { where, labels, sort, page, size } = state.value
    return {
      page,
      size,
      sort,
      ...(where.length > 0 && { fieldSelector: where }),
      ...(labels !== '' && { labelSelector: labels }),
    }
  })
  const change = (to: Partial<ListState>) => {
    const isOpening = Object.keys(to).every((key) => key === 'open')
    const isSamePage = Object.keys(to).every((key) => key === 'open' || key === 'columns')
    const next = { ...state.value, ...(isSamePage ? {} : { page: 1 }), ...to }
    // Each change is a history entry for the Back button; moving the preview from row to row is not.
    if (isOpening && state.value.open !== undefined && to.open !== undefined) {
      void router.replace({ query: toAddress(next) })
    } else void router.push({ query: toAddress(next) })
  }
  return { state, query, change }
}

export function fromAddress(query: LocationQuery): ListState {
  const text = (name: string) => [query[name] ?? []].flat().filter((one) => one !== null)
  const size = Number(text('size')[0])
  return {
    where: termsIn(text('where')[0] ?? ''),
    labels: text('labels')[0] ?? '',
    sort: text('sort'),
    page: Math.max(1, Math.trunc(Number(text('page')[0])) || 1),
    size: sizes.has(size) ? size : usualSize,
    columns: query['columns'] === undefined ? undefined : text('columns').filter((one) => one !== ''),
    open: text('open')[0],
  }
}

/** Users can edit the address, so an invalid selector is ignored. */
function termsIn(text: string): readonly UnplacedSelectorTerm[] {
  if (text === '') return []
  try {
    return parseSelector('fieldSelector', text)
  } catch {
    return []
  }
}

export function toAddress(state: ListState): Record<string, string | string[]> {
  const { where, labels, sort, page, size, columns, open } = state
  return {
    ...(where.length > 0 && { where: formatSelector(where) }),
    ...(labels !== '' && { labels }),
    ...(sort.length > 0 && { sort: [...sort] }),
    ...(page > 1 && { page: String(page) }),
    ...(size !== usualSize && { size: String(size) }),
    // An empty text stands for no column beside the title.
    ...(columns && { columns: columns.length === 0 ? '' : [...columns] }),
    ...(open !== undefined && { open }),
  }
}
