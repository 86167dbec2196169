/** A view of a list under a name: filter, order, page size and columns as its address has them. */
export interface SavedView {
  readonly name: string
  readonly query: ViewQuery
}

/** The query of a list's address, without page and preview. */
export type ViewQuery = Readonly<Record<string, string | readonly string[]>>

export const mostViews = 30

/** Ignores what another version of the console may have kept. */
export function viewsIn(kept: unknown): readonly SavedView[] {
  return Array.isArray(kept) ? kept.filter(isView) : []
}

/** Replaces the view of this name, else adds it. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const at = views.findIndex(({ name }) => name === view.name)
  return at < 0 ? [...views, view].slice(0, mostViews) : views.with(at, view)
}

export function withoutView(views: readonly SavedView[], name: string): readonly SavedView[] {
  return views.filter((one) => one.name !== name)
}

export function renamed(views: readonly SavedView[], from: string, to: string): readonly SavedView[] {
  return views.map((view) => (view.name === from ? { ...view, name: to } : view))
}

export function isSameQuery(one: ViewQuery, other: ViewQuery): boolean {
  return textOf(one) === textOf(other)
}

function textOf(query: ViewQuery): string {
  return JSON.stringify(Object.entries(query).toSorted(([one], [other]) => one.localeCompare(other)))
}

function isView(kept: unknown): kept is SavedView {
  const { name, query } = (kept ?? {}) as Partial<SavedView>
  return typeof name === 'string' && name !== '' && typeof query === 'object' && query !== null && areTexts(query)
}

function areTexts(query: object): boolean {
  return Object.values(query)
    .flat()
    .every((value) => typeof value === 'string')
}
