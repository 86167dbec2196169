import { eventStreamFrames, type FrameRequest } from './event-stream.ts'
import { queryString, selectionParameters, type Selection } from './query.ts'
import { send, urlOf, type Connection } from './send.ts'
import type { Frame } from './watch-event.ts'
import { canSendHeaders, NotOpened, Overtaken, webSocketFrames } from './web-socket-frames.ts'

/** The server sends at least a bookmark every 10 s. */
const defaultSilenceMs = 30_000

export interface WatchConnection extends Connection {
  readonly transport: 'WebSocket' | 'event stream'
  readonly silenceMs?: number | undefined
  readonly onConnect?: (() => void) | undefined
}

/** What to watch, and from which revision. */
export interface WatchTarget extends Selection {
  /** Path of the collection or of one object. */
  readonly path: string
  readonly collection: string
  readonly revision?: string | undefined
  readonly initial?: boolean | undefined
}

/** Chooses a WebSocket unless requests need something that it cannot carry: a custom `fetch`, or headers in a browser. */
export function transportOf(headers: Connection['headers'], hasOwnFetch: boolean): WatchConnection['transport'] {
  if (hasOwnFetch || typeof WebSocket === 'undefined') return 'event stream'
  return Object.keys(headers).length === 0 || canSendHeaders() ? 'WebSocket' : 'event stream'
}

export interface Frames {
  /** Revision to resume from; undefined until all existing objects have arrived. */
  readonly position: string | undefined
  /** Connects at `position`, with the transport that works. */
  open(): AsyncGenerator<Frame, void, undefined>
}

export function createFrames(
  connection: WatchConnection,
  target: WatchTarget,
  signal: AbortSignal | undefined,
): Frames {
  const { fetch, headers, silenceMs = defaultSilenceMs, onConnect } = connection
  let position = target.revision
  let { transport } = connection
  const request = (): FrameRequest => {
    const from = position === undefined ? { initial: true } : { revision: position }
    const query = queryString([...Object.entries(from), ...selectionParameters(target)])
    return { url: urlOf(connection, `${target.path}${query}`), fetch, headers, signal, silenceMs, onConnect }
  }
  async function* read(texts: AsyncIterable<string>): AsyncGenerator<Frame, void, undefined> {
    for await (const text of texts) {
      const frame = JSON.parse(text) as Frame
      position = frame.revision ?? position
      yield frame
    }
  }
  return {
    get position() {
      return position
    },
    async *open() {
      if (!target.initial) position ??= await positionNow(connection, target.collection, signal)
      if (transport === 'WebSocket') {
        try {
          return yield* read(webSocketFrames(request()))
        } catch (error) {
          // Without a revision, a retry would overflow again. An event stream has backpressure.
          if (error instanceof Overtaken && position === undefined) transport = 'event stream'
          if (!(error instanceof NotOpened)) throw error
        }
      }
      // An event stream reports why it was rejected, and passes proxies that block WebSockets.
      for await (const frame of read(eventStreamFrames(request()))) {
        transport = 'event stream'
        yield frame
      }
    },
  }
}

/** The current revision. A watch opened without one could not resume after a disconnect. */
async function positionNow(
  connection: Connection,
  collection: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const list = await send(connection, { method: 'GET', path: `${collection}?size=1`, signal })
  return (list as { readonly revision?: string }).revision
}
