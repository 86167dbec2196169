import type { ApiObject, List, ListQuery } from '@pergola/client'

/** Objects per request; the server's maximum page size. */
const pageSize = 500

export interface PagedList {
  readonly list: (
    query: ListQuery,
  ) => Promise<Pick<List<ApiObject>, 'items' | 'continue' | 'expanded' | 'expandedIsPartial'>>
  readonly query: ListQuery
  /** Maximum number of objects; default all. */
  readonly limit?: number | undefined
  /** Called with each page before its objects. */
  readonly onPage?: ((page: Awaited<ReturnType<PagedList['list']>>) => void) | undefined
}

/** Yields objects page by page. Prefetches the next page, and holds no more than that. */
export async function* readPages({
  list,
  query,
  limit,
  onPage,
}: PagedList): AsyncGenerator<ApiObject, void, undefined> {
  let left = limit ?? Number.POSITIVE_INFINITY
  let next: ReturnType<PagedList['list']> | undefined = list({ ...query, size: Math.min(pageSize, left) })
  while (next) {
    const page: Awaited<ReturnType<PagedList['list']>> = await next
    left -= page.items.length
    next = page.continue !== undefined && left > 0 ? list({ continue: page.continue }) : undefined
    // The error is thrown where the promise is awaited.
    next?.catch(() => undefined)
    onPage?.(page)
    yield* left < 0 ? page.items.slice(0, left) : page.items
  }
}
