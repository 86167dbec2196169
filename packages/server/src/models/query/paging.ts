import { isApiError } from '@pergola/api'
import { keyOf } from '../../store/model-table.ts'
import type { Cursor, ModelKey } from '../../store/store.ts'
import { flag, queryFault, refuseUnknown } from './query-parameters.ts'

/** Parameters that a `continue` token contains. */
const carried = new Set([
  'sort',
  'labelSelector',
  'fieldSelector',
  'anyOf',
  'fields',
  'exactTotal',
  'nonconforming',
  'expand',
  'referrers',
])
const parameters = ['page', 'size', 'continue', ...carried]
/** Page size limit for `nonconforming`, which validates every object of the page. */
const mostLookedThrough = 500

/** Which part of a list is requested. */
export interface Paging {
  /** The model that is listed. */
  readonly of: string
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

export function pagingOf(query: URLSearchParams, model: ModelKey): Paging {
  refuseUnknown(query, parameters)
  const of = keyOf(model)
  if (query.has('continue')) return continued(query, of)
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
  return { of, query, page: page ?? 1, exactTotal, nonConforming, ...(wanted !== undefined && { size: wanted }) }
}

/** A self-contained token for the next page. */
export function continueToken({ of, query, page, size }: Paging, next: Cursor): string {
  const kept = new URLSearchParams([...query].filter(([parameter]) => carried.has(parameter)))
  return Buffer.from(JSON.stringify([page + 1, size, next, kept.toString(), of])).toString('base64url')
}

function continued(query: URLSearchParams, of: string): Paging {
  const [token = '', ...more] = query.getAll('continue')
  if (more.length > 0) throw queryFault('BadRequest', 'continue', 'is given more than once')
  const others = [...query.keys()].filter((parameter) => parameter !== 'continue')
  if (others.length > 0) {
    throw queryFault('BadRequest', 'continue', `carries the whole query; leave out ${others.join(', ')}`)
  }
  const { page, size, after, kept } = readToken(token, of)
  const isSet = (parameter: string) => kept.get(parameter) === 'true'
  return { of, query: kept, page, size, after, exactTotal: isSet('exactTotal'), nonConforming: isSet('nonconforming') }
}

function readToken(token: string, of: string) {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    if (Array.isArray(value) && value.length === 5) {
      const [page, size, after, kept, madeFor] = value as unknown[]
      if (typeof madeFor === 'string' && madeFor !== of) {
        throw queryFault('BadRequest', 'continue', `is a token of ${madeFor}, not of ${of}; start again without it`)
      }
      if (isCount(page) && isCount(size) && typeof after === 'string' && typeof kept === 'string') {
        return { page, size, after: after as Cursor, kept: new URLSearchParams(kept) }
      }
    }
  } catch (error) {
    if (isApiError(error)) throw error
  }
  throw queryFault('BadRequest', 'continue', 'is not a token of this server; start again without it')
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
