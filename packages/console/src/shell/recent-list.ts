/** A visited page, with the title that it had. */
export interface RecentPage {
  readonly path: string
  readonly title: string
}

export const mostRecent = 12

/** The latest first, each once. */
export function withPage(pages: readonly RecentPage[], page: RecentPage): readonly RecentPage[] {
  return [page, ...pages.filter(({ path }) => path !== page.path)].slice(0, mostRecent)
}

/** Ignores what another version of the console may have kept. */
export function pagesIn(kept: unknown): readonly RecentPage[] {
  return Array.isArray(kept) ? kept.filter(isPage) : []
}

function isPage(kept: unknown): kept is RecentPage {
  const { path, title } = (kept ?? {}) as Partial<RecentPage>
  return typeof path === 'string' && path.startsWith('/') && typeof title === 'string'
}
