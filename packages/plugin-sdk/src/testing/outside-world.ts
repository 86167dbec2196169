/** A request that the plugin sent to an external server. It never leaves the test. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface OutsideWorld extends Disposable {
  /** Oldest first. */
  readonly sent: readonly SentRequest[]
  /** The original `fetch`, which reaches the network. */
  readonly realFetch: Fetch
}

export type AnswerOutside = (request: Request) => Response | Promise<Response>

type Fetch = typeof globalThis.fetch

/** Key under which a replacement stores the original. */
const standsInFor = Symbol('stands in for')

/** Replaces the global `fetch` until disposed. With several replacements, the newest answers. */
export function standInForOutside(answer: AnswerOutside = () => new Response()): OutsideWorld {
  const before: Fetch & { readonly [standsInFor]?: Fetch } = globalThis.fetch
  const realFetch = before[standsInFor] ?? before
  const sent: SentRequest[] = []
  let isOver = false
  const standIn: Fetch = async (input, init) => {
    if (isOver) return before(input, init)
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const { method, url, headers } = request
    sent.push({ method, url, headers: Object.fromEntries(headers), body: await request.clone().text() })
    return answer(request)
  }
  Object.assign(standIn, { [standsInFor]: realFetch })
  globalThis.fetch = standIn
  return {
    sent,
    realFetch,
    [Symbol.dispose]: () => {
      isOver = true
      // Does not remove a later replacement.
      if (globalThis.fetch === standIn) globalThis.fetch = before
    },
  }
}
