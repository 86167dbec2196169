import { errorOf } from './answer-error.ts'
import { ConnectionError } from './connection-error.ts'
import { splitEvents } from './split-events.ts'
import { wordsOf } from './send.ts'

export interface FrameRequest {
  readonly url: URL
  readonly fetch: typeof globalThis.fetch
  readonly headers: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** The connection counts as dead after receiving nothing for this long. */
  readonly silenceMs: number
  readonly onConnect?: (() => void) | undefined
}

/** Yields the text of each frame of an event stream. Reads only as fast as the caller consumes. */
export async function* eventStreamFrames(request: FrameRequest): AsyncGenerator<string, void, undefined> {
  const { url, fetch, headers, signal, silenceMs } = request
  const connection = new AbortController()
  const give = () => connection.abort(signal?.reason)
  signal?.addEventListener('abort', give, { once: true })
  /** The timer runs only while a read is pending: a slow consumer is not a silent server. */
  const heard = async <Got>(what: Promise<Got>): Promise<Got> => {
    const silence = new ConnectionError(`${url.pathname} was silent for ${silenceMs} ms`, { timedOut: true })
    const timer = setTimeout(() => connection.abort(silence), silenceMs)
    try {
      return await what
    } catch (cause) {
      throw cause === silence ? silence : new ConnectionError(`${url.pathname} was cut: ${wordsOf(cause)}`, { cause })
    } finally {
      clearTimeout(timer)
    }
  }
  try {
    const init = { headers: { ...headers, accept: 'text/event-stream' }, signal: connection.signal }
    const response = await heard(fetch(url, init))
    if (!response.ok) throw errorOf(await heard(bodyOf(response)), response)
    const type = response.headers.get('content-type') ?? 'nothing'
    if (!type.startsWith('text/event-stream') || !response.body) {
      throw new ConnectionError(
        `${url.pathname} answers ${type}, no event stream; check that the url is a Pergola server`,
      )
    }
    request.onConnect?.()
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    const split = splitEvents()
    for (;;) {
      const { done, value } = await heard(reader.read())
      if (done) return
      yield* split(decoder.decode(value, { stream: true }))
    }
  } finally {
    signal?.removeEventListener('abort', give)
    connection.abort()
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
