import type { ApiObject, List, ListQuery } from '@pergola/client'

/** As many objects a request: the server reads no more at a time. */
const pageSize = 500

export interface PagedList {
  readonly list: (query: ListQuery) => Promise<Pick<List<ApiObject>, 'items' | 'continue'>>
  readonly query: ListQuery
  /** Objects that are wanted; all unless it is said. */
  readonly limit?: number | undefined
}

/** Objects page by page. The next page is on its way while one is read, and no more than that is ever held. */
export async function* readPages({ list, query, limit }: PagedList): AsyncGenerator<ApiObject, void, undefined> {
  let left = limit ?? Number.POSITIVE_INFINITY
  let next: ReturnType<PagedList['list']> | undefined = list({ ...query, size: Math.min(pageSize, left) })
  while (next) {
    const page: Awaited<ReturnType<PagedList['list']>> = await next
    left -= page.items.length
    next = page.continue !== undefined && left > 0 ? list({ continue: page.continue }) : undefined
    // Told where it is waited for.
    next?.catch(() => undefined)
    yield* left < 0 ? page.items.slice(0, left) : page.items
  }
}
