/** A request of the plugin to the world outside, which never leaves the test. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface OutsideWorld extends Disposable {
  /** Oldest first. */
  readonly sent: readonly SentRequest[]
  /** The one that leaves the test. */
  readonly realFetch: Fetch
}

export type AnswerOutside = (request: Request) => Response | Promise<Response>

type Fetch = typeof globalThis.fetch

/** Where a stand-in keeps what it stands in for. */
const standsInFor = Symbol('stands in for')

/** Stands in for everything that `fetch` reaches, until it is disposed of. Of several, the newest. */
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
      // What somebody else has put there since is theirs to take away.
      if (globalThis.fetch === standIn) globalThis.fetch = before
    },
  }
}
