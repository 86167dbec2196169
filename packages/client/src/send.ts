import { isApiError } from '@pergola/api'
import { errorOf } from './answer-error.ts'
import { ConnectionError, isConnectionError } from './connection-error.ts'
import { backoffMs, reasonOf, retryAfterMs, sleep } from './waiting.ts'

const defaultTimeoutMs = 60_000
/** Sent at most this often more. */
const maxRetries = 4
const backoff = { firstMs: 200, mostMs: 5_000 }
/** A server that asks for more is not waited for. */
const longestWaitMs = 10_000

/** Told of whatever failed and is tried again. */
export type OnRetry = (error: unknown, retry: { readonly waitMs: number }) => void

/** Where requests go, and as whom. */
export interface Connection {
  readonly url: URL
  readonly fetch: typeof globalThis.fetch
  /** On every request, the credential included. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs?: number | undefined
  readonly onRetry?: OnRetry | undefined
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** For the whole answer, retries included: 60 s unless the client has another. */
  readonly timeoutMs?: number | undefined
}

export interface Call extends CallOptions {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** Sent as JSON; bytes as they are, under the content type that `headers` give. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether doing it twice is as good as once; by its method unless it is said. */
  readonly isIdempotent?: boolean | undefined
}

/**
 * The answer's body. Throws `ApiError` when the server refuses and `ConnectionError` when there is no answer. Refused for
 * now (429, 503), an idempotent request is sent again; without an answer, one that changes nothing, or that never left.
 */
export async function send(connection: Connection, call: Call): Promise<unknown> {
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
    throw new ConnectionError(`the answer to ${where} is ${response.status}, but no JSON; is the url Pergola's?`)
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

/** Of the innermost cause: `fetch` itself says only that it failed. */
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

/** Undefined when it must not be sent again. */
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
