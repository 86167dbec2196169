import { isApiError, type ApiObject, type List, type ListQuery, type ResourceType } from '@pergola/client'
import { isSame } from './same.ts'

/** What a live page shows: the rows, and the query that they answer. */
export interface ShownRows<Stored extends ApiObject> {
  readonly type: ResourceType<Stored>
  readonly query: ListQuery
  readonly page: List<Stored>
  readonly rows: readonly Stored[]
  /** How many new objects the latest response has besides the rows. */
  readonly fresh: number
  /** From a response to this page, not from the cache of an earlier one. */
  readonly isFetched: boolean
}

/** The state of the request for a query. */
export interface PageRead<Stored extends ApiObject> {
  readonly type: ResourceType<Stored>
  readonly query: ListQuery
  /** Undefined without a response to this query. */
  readonly page: List<Stored> | undefined
  readonly error: unknown
  readonly isFetched: boolean
  /** Uids of objects that have changed; undefined to take every response as it is. */
  readonly touched: ReadonlyMap<string, number> | undefined
  /** Uids of objects that this browser tab has written; they are not held back. */
  readonly own: ReadonlySet<string>
}

/** The rows after a read. While no response can be had, they stay, although they answer an earlier query. */
export function rowsAfter<Stored extends ApiObject>(
  shown: ShownRows<Stored> | undefined,
  { page, error, touched, own, ...read }: PageRead<Stored>,
): ShownRows<Stored> | undefined {
  if (!page) return isSame(shown?.type, read.type) && isPassing(error) ? shown : undefined
  const isRead = shown?.isFetched === true && answers(shown, read) && shown.rows.length > 0
  const held = isRead && touched ? heldRows(shown.rows, page.items, { touched, own }) : undefined
  const isHeld = held !== undefined && held.fresh > 0 && held.rows.length > 0
  return { ...read, page, ...(isHeld ? held : { rows: page.items, fresh: 0 }) }
}

/** Whether the rows are the result of the query. */
export function answers<Stored extends ApiObject>(
  shown: Pick<ShownRows<Stored>, 'type' | 'query'>,
  { type, query }: Pick<PageRead<Stored>, 'type' | 'query'>,
): boolean {
  return isSame([shown.type, shown.query], [type, query])
}

/** Whether a retry may succeed soon: nothing has failed yet, the server cannot be reached, or it restarts. */
export function isPassing(reason: unknown): boolean {
  return !isApiError(reason) || reason.status >= 500
}

/**
 * Updates the shown rows without moving them. Drops rows that were deleted or left the page by their own change, and adds the
 * new objects that this browser tab has written.
 */
function heldRows<Stored extends ApiObject>(
  shown: readonly Stored[],
  latest: readonly Stored[],
  { touched, own }: { readonly touched: ReadonlyMap<string, number>; readonly own: ReadonlySet<string> },
): { readonly rows: readonly Stored[]; readonly fresh: number } {
  const known = new Set(shown.map(({ metadata }) => metadata.uid))
  const byUid = new Map(latest.map((object) => [object.metadata.uid, object]))
  const added = latest.filter(({ metadata: { uid } }) => !known.has(uid) && own.has(uid))
  const fresh = latest.filter(({ metadata: { uid } }) => !known.has(uid) && !own.has(uid) && touched.has(uid)).length
  const rows = shown.flatMap((object) => {
    const { uid } = object.metadata
    return byUid.get(uid) ?? (touched.has(uid) ? [] : [object])
  })
  return { rows: added.reduce((all, one) => withRow(all, one, latest), rows), fresh }
}

/** Inserts an object below the one that precedes it in the latest response. */
function withRow<Stored>(rows: Stored[], object: Stored, latest: readonly Stored[]): Stored[] {
  const above = latest.slice(0, latest.indexOf(object)).findLast((one) => rows.includes(one))
  return rows.toSpliced(above === undefined ? 0 : rows.indexOf(above) + 1, 0, object)
}
