import { ApiError } from '@pergola/api'
import type { Call } from '../call/call.ts'
import type { Clock } from '../base/clock.ts'
import type { Stream, Wire } from '../call/wire.ts'
import { termsOf } from '../models/query/list-query.ts'
import type { Model } from '../models/model.ts'
import { flag, refuseUnknown } from '../models/query/query-parameters.ts'
import type { StreamLimits } from '../models/query/stream-limits.ts'
import { decodeRevision, type RevisionParts } from '../store/revision.ts'
import type { Revision, Store, Term } from '../store/store.ts'
import { catchUp } from './catch-up.ts'
import { expiryOf } from './recheck-owners.ts'
import { sendPresent, type Behind } from './initial-objects.ts'
import { selectionOf, type Selection } from './selection.ts'
import type { Turns } from '../base/turns.ts'
import type { WatchHub } from './watch-hub.ts'
import { ageMs, noListedChanges, streamOwnerOf, type Watcher } from './watcher.ts'
import { ownerTerm, type OwnerScope } from '../models/verbs/owner-scope.ts'

export interface WatchParts {
  readonly store: Store
  readonly clock: Clock
  readonly hub: WatchHub
  /** Limits concurrent reads of the log and of present objects. */
  readonly reading: Turns
  readonly limits: StreamLimits
}

export interface WatchRequest {
  readonly call: Call
  /** Watches one object. */
  readonly name: string | undefined
  readonly scope?: OwnerScope | undefined
}

/** Where a watch starts. */
type Start = 'present objects' | RevisionParts

const parameters = ['labelSelector', 'fieldSelector', 'anyOf', 'revision', 'initial']

/**
 * The changes of a collection or an object, from a position on. Everything that can be refused is refused before the stream
 * begins.
 */
export async function watchObjects(
  parts: WatchParts,
  model: Model,
  { call, name, scope }: WatchRequest,
): Promise<Stream> {
  const { request, caller, info } = call
  const { query, headers } = request
  refuseUnknown(query, parameters)
  const named: readonly Term[] = name === undefined ? [] : [{ field: 'metadata.name', is: { op: '=', value: name } }]
  const owned = scope ? [ownerTerm(scope)] : []
  const selection = selectionOf(model, [...owned, ...named, ...termsOf(model, query)])
  const asked = startOf(query, headers['last-event-id'])
  await refuseUnbuilt(parts.store, selection)
  const release = parts.limits.take(caller, request.address)
  const start = await positionOf(parts, model, asked).catch((error: unknown) => {
    release()
    throw error
  })
  const asker = { owner: streamOwnerOf(call), request: { instance: info.path, requestId: request.id } }
  return new WatchStream(parts, { selection, start, ...asker }, release)
}

interface Opening extends Pick<Watcher, 'selection' | 'owner' | 'request'> {
  readonly start: Start
}

/** A class, because there are tens of thousands of instances: none keeps its request alive. */
class WatchStream implements Stream {
  readonly #parts: WatchParts
  readonly #release: () => void
  #opening: Opening | undefined
  #watcher: Watcher | undefined

  constructor(parts: WatchParts, opening: Opening, release: () => void) {
    this.#parts = parts
    this.#opening = opening
    this.#release = release
  }

  open(wire: Wire): void {
    if (!this.#opening) throw new Error('a stream is opened once')
    const { start, ...own } = this.#opening
    this.#opening = undefined
    this.#watcher = newWatcher(this.#parts, { ...own, wire })
    void run(this.#parts, this.#watcher, start)
  }

  closed(): void {
    this.#release()
    if (this.#watcher) this.#parts.hub.leave(this.#watcher)
  }
}

type Given = Pick<Watcher, 'selection' | 'owner' | 'request' | 'wire'>

function newWatcher(parts: WatchParts, { selection, owner, request, wire }: Given): Watcher {
  const { hub, clock } = parts
  const now = clock.now()
  const watcher: Watcher = {
    selection,
    wire,
    owner,
    request,
    catchUp: () => void catchUpAgain(parts, watcher),
    position: hub.feed.position,
    ahead: noListedChanges,
    hasPosition: false,
    joined: false,
    shown: undefined,
    expiresAt: Number.POSITIVE_INFINITY,
    endsAt: now + ageMs.least + Math.random() * (ageMs.most - ageMs.least),
    sentAt: now,
    ended: false,
  }
  return watcher
}

/** A watch that continues from a revision has nothing to catch up with before its position is valid. */
const nothingBehind: Behind = { upTo: 0, unsettled: [] }

async function run(parts: WatchParts, watcher: Watcher, start: Start): Promise<void> {
  const { hub } = parts
  hub.enter(watcher)
  try {
    // Checks after registering: rights lost earlier were only announced to registered watchers.
    watcher.expiresAt = expiryOf(await watcher.owner.recheck())
    if (start === 'present objects') {
      await catchUp(parts, watcher, await sendPresent(parts, watcher))
      hub.bookmark(watcher)
    } else {
      goTo(watcher, start)
      await catchUp(parts, watcher, nothingBehind)
    }
  } catch (error) {
    hub.end(watcher, error)
  }
}

async function catchUpAgain(parts: WatchParts, watcher: Watcher): Promise<void> {
  try {
    await catchUp(parts, watcher, nothingBehind)
  } catch (error) {
    parts.hub.end(watcher, error)
  }
}

function goTo(watcher: Watcher, { number, tag, skipped }: RevisionParts): void {
  watcher.position = { number, tag }
  if (skipped.length > 0) watcher.ahead = new Set(skipped)
  watcher.hasPosition = true
}

/**
 * "Now" is after everything committed, as for a list: the feed may be a moment behind. Determined before the client learns that
 * its stream has begun, so that it receives all its own later changes.
 */
async function positionOf({ store, reading }: WatchParts, model: Model, asked: Start | 'now'): Promise<Start> {
  if (asked !== 'now') return asked
  return reading.run(async () => decodeRevision((await store.list(model, { limit: 1, total: 'none' })).revision))
}

function startOf(query: URLSearchParams, lastEventId: string | string[] | undefined): Start | 'now' {
  const initial = flag(query, 'initial')
  const given = query.getAll('revision')
  if (given.length > 1) throw new ApiError('BadRequest', 'revision is given more than once')
  if (initial && given.length > 0) {
    throw new ApiError('BadRequest', 'initial=true and revision cannot be combined; send one of them')
  }
  // Newer than the revision in the URL, which stays the same when a browser reconnects.
  const revision = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : given[0]
  if (revision !== undefined) return decodeRevision(revision as Revision)
  return initial ? 'present objects' : 'now'
}

/** A partly built index reports no value for objects that have one. */
async function refuseUnbuilt(store: Store, { model, forms }: Selection): Promise<void> {
  if (forms.length === 0) return
  const build = await store.indexBuild(model)
  const unbuilt = forms.find(([name]) => build?.indexes.includes(name))
  if (!unbuilt) return
  throw new ApiError('IndexBuilding', `the index ${unbuilt[0]} is still being built; try again`, {
    headers: { 'retry-after': '1' },
  })
}
