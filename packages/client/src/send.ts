import { isApiError } from '@pergola/api'
import { errorOf } from './answer-error.ts'
import { ConnectionError, isConnectionError } from './connection-error.ts'
import { backoffMs, reasonOf, retryAfterMs, sleep } from './waiting.ts'

const defaultTimeoutMs = 60_000
/** Retries per call. */
const maxRetries = 4
const backoff = { firstMs: 200, mostMs: 5_000 }
/** A longer `Retry-After` fails the call instead. */
const longestWaitMs = 10_000

/** Called with each error that is retried, and the wait before the retry. */
export type OnRetry = (error: unknown, retry: { readonly waitMs: number }) => void

/** Address and credential for requests. */
export interface Connection {
  readonly url: URL
  readonly fetch: typeof globalThis.fetch
  /** Sent with every request; includes the credential. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs?: number | undefined
  readonly onRetry?: OnRetry | undefined
  readonly onError?: ((error: unknown) => void) | undefined
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Timeout of the whole call, including retries; defaults to that of the client (60 s). */
  readonly timeoutMs?: number | undefined
}

export interface Call extends CallOptions {
  readonly method: string
  /** Path with query string. */
  readonly path: string
  /** Sent as JSON. Bytes are sent unchanged, with the content type given in `headers`. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether the call may be repeated safely; derived from the method by default. */
  readonly isIdempotent?: boolean | undefined
}

/**
 * Sends a request and returns the response body. Throws `ApiError` when the server rejects it and `ConnectionError` without a
 * response. After 429 or 503, retries idempotent requests. Without a response, retries reads, and requests that were never
 * sent.
 */
export async function send(connection: Connection, call: Call): Promise<unknown> {
  try {
    return await sendPatiently(connection, call)
  } catch (error) {
    connection.onError?.(error)
    throw error
  }
}

async function sendPatiently(connection: Connection, call: Call): Promise<unknown> {
  const { signal, timeoutMs = connection.timeoutMs ?? defaultTimeoutMs } = call
  const deadline = AbortSignal.timeout(timeoutMs)
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline
  for (let failures = 0; ; failures++) {
    try {
      return await sendOnce(connection, call, either)
    } catch (cause) {
      if (signal?.aborted) throw reasonOf(signal)
      const error = deadline.aborted ? timedOut(call, timeoutMs, cause) : cause
      const waitMs = failures < maxRetries ? waitBeforeRetry(call, error, failures) : undefined
      if (waitMs === undefined) throw error
      connection.onRetry?.(error, { waitMs })
      await sleep(waitMs, either).catch(() => {
        throw signal?.aborted ? reasonOf(signal) : error
      })
    }
  }
}

export function urlOf({ url }: Connection, path: string): URL {
  return new URL(`${url.pathname.replace(/\/$/, '')}${path}`, url)
}

async function sendOnce(connection: Connection, call: Call, signal: AbortSignal): Promise<unknown> {
  const { method, path, body, headers } = call
  const where = `${method} ${urlOf(connection, path)}`
  const response = await attempt(where, () =>
    connection.fetch(urlOf(connection, path), {
      method,
      signal,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...connection.headers,
        ...headers,
      },
      ...(body !== undefined && { body: isBytes(body) ? body : JSON.stringify(body) }),
    }),
  )
  const text = await attempt(where, () => response.text())
  const parsed = parse(text)
  if (!response.ok) throw errorOf(parsed, response)
  if (parsed === undefined && text !== '') {
    throw new ConnectionError(
      `the answer to ${where} is ${response.status}, but no JSON; check that the url is a Pergola server`,
    )
  }
  return parsed
}

function isBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array
}

async function attempt<Got>(where: string, get: () => Promise<Got>): Promise<Got> {
  try {
    return await get()
  } catch (cause) {
    throw new ConnectionError(`${where} has no answer: ${wordsOf(cause)}`, { cause })
  }
}

/** Message of the innermost cause, because `fetch` itself only reports that it failed. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return wordsOf(error.cause)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function timedOut({ method, path }: Call, timeoutMs: number, cause: unknown): ConnectionError {
  return new ConnectionError(`${method} ${path} has no answer after ${timeoutMs} ms`, { cause, timedOut: true })
}

/** Returns the wait before a retry; undefined when the call must not be retried. */
function waitBeforeRetry(call: Call, error: unknown, failures: number): number | undefined {
  const usual = backoffMs(backoff, failures)
  if (isConnectionError(error)) {
    const isSafe = call.method === 'GET' || call.method === 'HEAD'
    return !error.timedOut && (isSafe || !error.mayHaveArrived) ? usual : undefined
  }
  if (!isApiError(error) || (error.status !== 429 && error.status !== 503)) return undefined
  if (!(call.isIdempotent ?? ['GET', 'HEAD', 'PUT', 'DELETE'].includes(call.method))) return undefined
  const asked = retryAfterMs(error.headers['retry-after']) ?? 0
  return asked > longestWaitMs ? undefined : asked + usual
}
