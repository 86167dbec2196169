import { ApiError } from '@pergola/api'
import type { Call } from '../call/call.ts'
import type { StreamLimits } from '../models/query/stream-limits.ts'
import { recheckOwners, concernedBy, expiryOf } from './recheck-owners.ts'
import { spreadOut } from './spread-out.ts'
import type { WatchHubParts } from './watch-hub.ts'
import { ageMs, streamOwnerOf, type StreamOwner } from './watcher.ts'

const tickMs = 1_000

/** A long-lived stream that is written by other code. */
interface LastingStream {
  readonly owner: StreamOwner
  readonly endsAt: number
  expiresAt: number
  readonly end: (why: unknown) => void
}

/** Long-lived answers of plugins, under the same rules as watches. */
export interface LastingStreams extends Disposable {
  /**
   * Throws when there are too many streams, or the caller is not authorized. `end` is called at most once; without a reason,
   * the stream's time is over.
   */
  begin(call: Pick<Call, 'caller' | 'request' | 'recheck'>, end: (why: unknown) => void): Promise<Disposable>
  /** Checks the streams of a user again after a credential was revoked. */
  recheck(uid: string): Promise<void>
  /** Ends all streams, and refuses new ones, when the server stops. */
  drain(): void
}

export interface LastingStreamsParts extends Pick<WatchHubParts, 'feed' | 'clock' | 'concerned' | 'settle'> {
  readonly limits: StreamLimits
}

export function createLastingStreams({ feed, clock, concerned, settle, limits }: LastingStreamsParts): LastingStreams {
  const all = new Set<LastingStream>()
  let isDraining = false
  const end = (stream: LastingStream, why: unknown) => {
    if (all.delete(stream)) stream.end(why)
  }
  const subscription = feed.subscribe('delivery', {
    onChanges: async (changes) => {
      if (all.size === 0) return
      await settle().catch(() => {})
      await recheckOwners(concernedBy(all, concerned(changes)), end)
    },
    onLost: () => void recheckOwners([...all], end),
  })
  const tick = setInterval(() => {
    const now = clock.now()
    for (const stream of all) {
      if (now >= stream.endsAt) end(stream, undefined)
      else if (now >= stream.expiresAt) void recheckOwners([stream], end)
    }
  }, tickMs)
  tick.unref()
  return {
    begin: async (call, told) => {
      if (isDraining) throw draining()
      const release = limits.take(call.caller, call.request.address)
      const endsAt = clock.now() + ageMs.least + Math.random() * (ageMs.most - ageMs.least)
      const stream = { owner: streamOwnerOf(call), endsAt, expiresAt: Number.POSITIVE_INFINITY, end: told }
      all.add(stream)
      const leave = () => {
        all.delete(stream)
        release()
      }
      try {
        // Checks after registering: rights lost earlier were only announced to registered streams.
        stream.expiresAt = expiryOf(await call.recheck())
      } catch (error) {
        leave()
        throw error
      }
      return { [Symbol.dispose]: leave }
    },
    recheck: (uid) =>
      recheckOwners(
        [...all].filter(({ owner }) => owner.uid === uid),
        end,
      ),
    drain: () => {
      isDraining = true
      spreadOut(all, (stream) => end(stream, draining()))
    },
    [Symbol.dispose]: () => {
      clearInterval(tick)
      subscription[Symbol.dispose]()
    },
  }
}

function draining(): ApiError {
  return new ApiError('Draining', 'the server is stopping; reconnect')
}
