import { joinBytes } from '../../base/join-bytes.ts'
import type { Answer, Caller } from '../../call/call.ts'
import type { ListQuery, Store, StoredObject, StoredPage } from '../../store/store.ts'
import { referrerCountsOf } from '../query/count-referrers.ts'
import { expansionOf } from '../query/expand.ts'
import { fieldsOf } from '../query/fields.ts'
import { sortOf, termsOf } from '../query/list-query.ts'
import type { Model } from '../model.ts'
import { nonConforming } from '../query/non-conforming.ts'
import { headOf, shownData, toBytes } from '../object-bytes.ts'
import { continueToken, pagingOf, type Paging } from '../query/paging.ts'
import type { Beside, RelatedParts } from '../query/related.ts'
import type { StreamLimits } from '../query/stream-limits.ts'
import { ownerTerm, type OwnerScope } from './owner-scope.ts'

/** Larger pages are streamed in parts of this many objects. */
export const pageLimit = 500
/** Limits of the first part of a streamed list, which is read in one snapshot. */
export const snapshotLimit = 10_000
export const snapshotBytes = 16 * 1024 * 1024

export interface ListParts {
  readonly store: Store
  readonly streams: StreamLimits
}

export interface ListRequest {
  readonly query: URLSearchParams
  readonly caller: Caller
  readonly address?: string
  readonly scope?: OwnerScope | undefined
  /** Without it, `expand` and `referrers` are ignored. */
  readonly related?: RelatedParts
}

/** The list as JSON. `end` is called when reading ends, complete or not. */
export type ListedObjects = Pick<Answer, 'body' | 'end'>

/** A page up to the limit is one buffer. A larger one is read in parts, no faster than the client consumes them. */
export async function listObjects(
  { store, streams }: ListParts,
  model: Model,
  request: ListRequest,
): Promise<ListedObjects> {
  const paging = pagingOf(request.query, model)
  const { page, size, after, exactTotal } = paging
  const shownAs = itemOf(model, paging.query)
  const query: Omit<ListQuery, 'limit'> = {
    where: [...(request.scope ? [ownerTerm(request.scope)] : []), ...termsOf(model, paging.query)],
    sort: sortOf(model, paging.query),
    total: exactTotal ? 'exact' : 'bounded',
  }
  const start = after !== undefined ? { after } : size !== undefined ? { offset: (page - 1) * size } : {}
  const beside = await besideOf(store, model, { ...request, paging })
  if (size !== undefined && size <= pageLimit) {
    const found = await store.list(model, { ...query, ...start, limit: size })
    const head = envelopeHead(model, { paging, found, neighbours: neighboursOf(paging, found) })
    const { items } = found
    const shown = paging.nonConforming
      ? await nonConforming(store, model, { validate: await model.validator(), items })
      : items
    const others = await Promise.all(beside.map((one) => one(shown)))
    const end = others.length === 0 ? [tail] : [']', ...others.flat(), '}']
    return { body: joinBytes([head, ...commaSeparated(shownAs, shown), ...end]) }
  }
  const release = streams.take(request.caller, request.address)
  const wanted = size ?? Number.POSITIVE_INFINITY
  try {
    const limit = Math.min(wanted, snapshotLimit)
    const first = await store.list(model, { ...query, ...start, limit, maxBytes: snapshotBytes })
    const body = streamed({ store, release, model, query, shownAs }, { paging, first, wanted })
    return { body, end: release }
  } catch (error) {
    release()
    throw error
  }
}

/** Refuses what cannot be answered before the list is read. */
async function besideOf(
  store: Store,
  model: Model,
  { paging, related, scope }: Pick<ListRequest, 'related' | 'scope'> & { readonly paging: Paging },
): Promise<readonly Beside[]> {
  if (!related) return []
  const expansion = await expansionOf(store, model, { paging, related })
  const counts = await referrerCountsOf(store, model, { paging, related, isOwned: scope !== undefined })
  return [expansion, counts].filter((one) => one !== undefined)
}

interface StreamParts {
  readonly store: Store
  readonly model: Model
  readonly query: Omit<ListQuery, 'limit'>
  readonly release: () => void
  readonly shownAs: ShownAs
}

interface StreamStart {
  readonly paging: Paging
  readonly first: StoredPage
  readonly wanted: number
}

async function* streamed(parts: StreamParts, start: StreamStart): AsyncGenerator<Buffer> {
  const { store, model, query, release, shownAs } = parts
  try {
    const { paging } = start
    let page = start.first
    let sent = page.items.length
    // When a page takes several reads, only the last read tells whether more objects follow.
    const isKnown = paging.size === undefined || page.next === undefined || sent >= start.wanted
    const head = envelopeHead(model, { paging, found: page, neighbours: isKnown ? neighboursOf(paging, page) : {} })
    yield joinBytes([head, ...commaSeparated(shownAs, page.items)])
    while (page.next !== undefined && sent < start.wanted) {
      const limit = Math.min(start.wanted - sent, pageLimit)
      page = await store.list(model, { ...query, limit, maxBytes: snapshotBytes, after: page.next, total: 'none' })
      sent += page.items.length
      if (page.items.length > 0) yield joinBytes([',', ...commaSeparated(shownAs, page.items)])
    }
    yield Buffer.from(isKnown ? tail : `],${JSON.stringify(neighboursOf(paging, page)).slice(1)}`)
  } finally {
    release()
  }
}

const tail = ']}'

/** An object of the list, in parts. */
type ShownAs = (stored: StoredObject) => readonly [head: string, rest: Buffer]

function itemOf(model: Model, query: URLSearchParams): ShownAs {
  const fields = fieldsOf(model, query)
  return fields
    ? (stored) => ['', fields(toBytes(model, stored))]
    : (stored) => [headOf(model, stored), shownData(model, stored)]
}

function commaSeparated(shownAs: ShownAs, items: readonly StoredObject[]): (string | Buffer)[] {
  const parts: (string | Buffer)[] = []
  for (const stored of items) {
    const [head, rest] = shownAs(stored)
    parts.push(parts.length === 0 ? head : `,${head}`, rest)
  }
  return parts
}

/** What is known about the next page after this page was read completely. */
function neighboursOf(paging: Paging, { next }: StoredPage) {
  const hasNext = paging.size !== undefined && next !== undefined
  return { last: !hasNext, hasNext, ...(hasNext && { continue: continueToken(paging, next) }) }
}

interface EnvelopeParts {
  readonly paging: Paging
  readonly found: StoredPage
  readonly neighbours: object
}

/** The list's JSON up to the first object. */
function envelopeHead(model: Model, { paging, found, neighbours }: EnvelopeParts): string {
  const { page, size } = paging
  const total = found.total?.count ?? 0
  const perPage = size ?? total
  const totalPages = perPage === 0 ? 0 : Math.ceil(total / perPage)
  const envelope = {
    apiVersion: model.apiVersion,
    kind: `${model.kind}List`,
    page,
    size: perPage,
    total,
    totalIsEstimate: found.total?.isEstimate ?? false,
    totalPages,
    first: page === 1,
    ...neighbours,
    hasPrevious: page > 1,
    revision: found.revision,
  }
  return `${JSON.stringify(envelope).slice(0, -1)},"items":[`
}
