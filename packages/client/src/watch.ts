import { isApiError, type ApiObject } from '@pergola/api'
import { errorOf } from './answer-error.ts'
import { createFrames, type WatchConnection, type WatchTarget } from './frames.ts'
import { createRecentVersions } from './recent-versions.ts'
import { backoffMs, reasonOf, retryAfterMs, sleep } from './waiting.ts'
import type { Bookmark, Frame, ObjectEvent, WatchEvent } from './watch-event.ts'

/** Backoff after an error response. */
const answered = { firstMs: 250, mostMs: 15_000 }
/** Backoff without a response. Short, because a failed connection attempt is cheap and recovery should be noticed soon. */
const unanswered = { firstMs: 250, mostMs: 1_500 }
/** Random delay after an announced disconnect, because many clients reconnect at once. */
const spreadMs = 1_000
/** Client error statuses that are worth retrying. */
const passing = new Set([408, 429])

/**
 * Streams changes across disconnects. Ends only by throwing: `RevisionExpired` when the server no longer keeps the revision,
 * another `ApiError` when it rejects the watch (401, 403, an invalid selector), or the signal's reason.
 */
export async function* watch<Stored extends ApiObject>(
  connection: WatchConnection,
  target: WatchTarget,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent<Stored>, void, undefined> {
  const recent = createRecentVersions()
  const frames = createFrames(connection, target, signal)
  let failures = 0
  let hasBegun = false
  for (;;) {
    signal?.throwIfAborted()
    let error: unknown
    try {
      for await (const frame of frames.open()) {
        if (signal?.aborted) break
        if (frame.type === 'ERROR') throw problemOf(frame)
        failures = 0
        hasBegun = true
        const event = eventOf<Stored>(frame)
        if (event && (event.type === 'BOOKMARK' || recent.isNews(event.object))) yield event
      }
    } catch (cause) {
      error = cause
    }
    if (signal?.aborted) throw reasonOf(signal)
    if (isFinal(error)) throw error
    if (frames.position === undefined && hasBegun) {
      recent.forget()
      hasBegun = false
      yield { type: 'RESTARTED' }
    }
    const waitMs = waitBefore(error, failures++)
    connection.onRetry?.(error, { waitMs })
    await sleep(waitMs, signal)
  }
}

/** Undefined for event types that this client does not know. */
function eventOf<Stored extends ApiObject>({
  type,
  revision,
  object,
}: Frame): ObjectEvent<Stored> | Bookmark | undefined {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, ...(revision !== undefined && { revision }), object: object as Stored }
    case 'BOOKMARK':
      return revision === undefined ? undefined : { type, revision }
    default:
      return undefined
  }
}

function problemOf({ object }: Frame): Error {
  const { status } = (object ?? {}) as { readonly status?: number }
  return errorOf(object, { status: status ?? 500 })
}

/** True for errors that a retry cannot fix, or that the caller must handle. */
function isFinal(error: unknown): boolean {
  return isApiError(error) && error.status >= 400 && error.status < 500 && !passing.has(error.status)
}

function waitBefore(error: unknown, failures: number): number {
  const wasAnnounced = error === undefined || (isApiError(error) && error.reason === 'Draining')
  if (wasAnnounced && failures === 0) return Math.random() * spreadMs
  if (!isApiError(error)) return backoffMs(unanswered, failures)
  const asked = retryAfterMs(error.headers['retry-after']) ?? 0
  return Math.min(asked, answered.mostMs) + backoffMs(answered, failures)
}
