import type { Cursor } from '../store/store.ts'
import { flag, queryFault, refuseUnknown } from './query-parameters.ts'

/** Parameters that a `continue` token contains. */
const carried = new Set(['sort', 'labelSelector', 'fieldSelector', 'fields', 'exactTotal', 'nonconforming'])
const parameters = ['page', 'size', 'continue', ...carried]
/** Page size limit for `nonconforming`, which validates every object of the page. */
const mostLookedThrough = 500

/** Which part of a list is requested. */
export interface Paging {
  /** The parameters that select and sort, from the request or from the `continue` token. */
  readonly query: URLSearchParams
  readonly page: number
  /** When absent, all objects. */
  readonly size?: number
  readonly after?: Cursor
  readonly exactTotal: boolean
  /** Return only the objects of the page that the schema would refuse. */
  readonly nonConforming: boolean
}

export function pagingOf(query: URLSearchParams): Paging {
  refuseUnknown(query, parameters)
  if (query.has('continue')) return continued(query)
  const page = countOf(query, 'page')
  const size = countOf(query, 'size')
  if (page !== undefined && page > 1 && size === undefined) {
    throw queryFault(
      'InvalidPage',
      'size',
      `is missing, and page=${page} needs one; without a size there is a single page`,
    )
  }
  const nonConforming = flag(query, 'nonconforming')
  if (nonConforming && (size ?? 0) > mostLookedThrough) {
    const message = `is ${size}, which is too large with nonconforming=true; the maximum is ${mostLookedThrough}`
    throw queryFault('InvalidPage', 'size', message)
  }
  const wanted = size ?? (nonConforming ? mostLookedThrough : undefined)
  const exactTotal = flag(query, 'exactTotal')
  return { query, page: page ?? 1, exactTotal, nonConforming, ...(wanted !== undefined && { size: wanted }) }
}

/** A self-contained token for the next page. */
export function continueToken({ query, page, size }: Paging, next: Cursor): string {
  const kept = new URLSearchParams([...query].filter(([parameter]) => carried.has(parameter)))
  return Buffer.from(JSON.stringify([page + 1, size, next, kept.toString()])).toString('base64url')
}

function continued(query: URLSearchParams): Paging {
  const [token = '', ...more] = query.getAll('continue')
  if (more.length > 0) throw queryFault('BadRequest', 'continue', 'is given more than once')
  const others = [...query.keys()].filter((parameter) => parameter !== 'continue')
  if (others.length > 0) {
    throw queryFault('BadRequest', 'continue', `carries the whole query; leave out ${others.join(', ')}`)
  }
  const { page, size, after, kept } = readToken(token)
  const isSet = (parameter: string) => kept.get(parameter) === 'true'
  return { query: kept, page, size, after, exactTotal: isSet('exactTotal'), nonConforming: isSet('nonconforming') }
}

function readToken(token: string) {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    if (Array.isArray(value) && value.length === 4) {
      const [page, size, after, kept] = value as unknown[]
      if (isCount(page) && isCount(size) && typeof after === 'string' && typeof kept === 'string') {
        return { page, size, after: after as Cursor, kept: new URLSearchParams(kept) }
      }
    }
  } catch {
    // Reported below.
  }
  throw queryFault('BadRequest', 'continue', 'is not a token of this server; begin again without it')
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1
}

function countOf(query: URLSearchParams, parameter: string): number | undefined {
  const values = query.getAll(parameter)
  const [value] = values
  if (value === undefined) return undefined
  const count = Number(value)
  if (values.length > 1 || !/^\d{1,9}$/.test(value) || count < 1) {
    const message = `must be a single whole number of 1 or more; it is "${values.join('", "')}"`
    throw queryFault('InvalidPage', parameter, message)
  }
  return count
}
