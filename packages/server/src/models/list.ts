import { ApiError } from '@pergola/api'
import type { Answer } from '../base/call.ts'
import type { Store, StoredObject, StoredPage } from '../store/store.ts'
import { jsonAnswer } from './json-answer.ts'
import type { Model } from './model.ts'
import { toPieces } from './object-bytes.ts'

/** Larger answers are streamed in pages of this many objects. */
const pageLimit = 500

const knownParameters = new Set(['page', 'size'])

interface Paging {
  readonly page: number
  /** Absent: all objects. */
  readonly size?: number
}

/** A page up to the limit is one buffer. Anything larger is read page by page, no faster than the client takes it. */
export async function listObjects(store: Store, model: Model, query: URLSearchParams): Promise<Answer> {
  const paging = parsePaging(query)
  const { page, size } = paging
  const wanted = size ?? Number.POSITIVE_INFINITY
  const first = await store.list(model, {
    limit: Math.min(wanted, pageLimit),
    ...(size !== undefined && { offset: (page - 1) * size }),
  })
  const head = envelopeHead(model, paging, first)
  if (first.items.length === wanted || first.next === undefined) {
    return jsonAnswer(200, Buffer.concat([head, ...commaSeparated(model, first.items), tail]))
  }
  return jsonAnswer(200, streamed(store, model, { head, first, wanted }))
}

interface StreamStart {
  readonly head: Buffer
  readonly first: StoredPage
  readonly wanted: number
}

async function* streamed(store: Store, model: Model, start: StreamStart): AsyncGenerator<Buffer> {
  let page = start.first
  let sent = page.items.length
  yield Buffer.concat([start.head, ...commaSeparated(model, page.items)])
  while (page.next !== undefined && sent < start.wanted) {
    page = await store.list(model, { limit: Math.min(start.wanted - sent, pageLimit), after: page.next, total: 'none' })
    sent += page.items.length
    if (page.items.length > 0) yield Buffer.concat([comma, ...commaSeparated(model, page.items)])
  }
  yield tail
}

const comma = Buffer.from(',')
const tail = Buffer.from(']}')

function commaSeparated(model: Model, items: readonly StoredObject[]): Buffer[] {
  return items.flatMap((stored, at) => (at === 0 ? toPieces(model, stored) : [comma, ...toPieces(model, stored)]))
}

/** Everything but the objects, up to where the first one stands. */
function envelopeHead(model: Model, { page, size = 0 }: Paging, first: StoredPage): Buffer {
  const total = first.total?.count ?? 0
  const perPage = size === 0 ? total : size
  const totalPages = perPage === 0 ? 0 : Math.ceil(total / perPage)
  const envelope = {
    apiVersion: model.apiVersion,
    kind: `${model.kind}List`,
    page,
    size: perPage,
    total,
    totalIsEstimate: first.total?.isEstimate ?? false,
    totalPages,
    first: page === 1,
    last: page >= totalPages,
    hasNext: page < totalPages,
    hasPrevious: page > 1,
    revision: first.revision,
  }
  return Buffer.from(`${JSON.stringify(envelope).slice(0, -1)},"items":[`)
}

function parsePaging(query: URLSearchParams): Paging {
  for (const parameter of query.keys()) {
    if (knownParameters.has(parameter)) continue
    throw new ApiError('BadRequest', `the query parameter "${parameter}" is not served; known are page and size`)
  }
  const page = parseCount(query, 'page')
  const size = parseCount(query, 'size')
  if (page !== undefined && page > 1 && size === undefined) {
    throw new ApiError('InvalidPage', `page=${page} needs a size; without one there is a single page`)
  }
  return { page: page ?? 1, ...(size !== undefined && { size }) }
}

function parseCount(query: URLSearchParams, parameter: string): number | undefined {
  const values = query.getAll(parameter)
  const [value] = values
  if (value === undefined) return undefined
  const count = Number(value)
  if (values.length > 1 || !/^\d{1,9}$/.test(value) || count < 1) {
    throw new ApiError('InvalidPage', `${parameter} must be one whole number from 1 on; it is "${values.join('", "')}"`)
  }
  return count
}
