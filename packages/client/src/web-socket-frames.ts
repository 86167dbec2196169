import { ConnectionError } from './connection-error.ts'
import type { FrameRequest } from './event-stream.ts'
import { createFrameQueue } from './frame-queue.ts'

const subProtocol = 'watch.v1+json'

/**
 * The queue overflowed because the reader is slower than the connection. All frames before the overflow were delivered in
 * order.
 */
export class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

/** The WebSocket did not open; the API does not report why. */
export class NotOpened extends Error {
  override readonly name = 'NotOpened'
}

/** Browsers cannot set WebSocket headers; Node.js and compatible runtimes can. */
export function canSendHeaders(): boolean {
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } }
  return process?.versions?.node !== undefined
}

/**
 * Yields the text of each frame of a WebSocket. The buffer for a slow reader is bounded; on overflow the connection is closed.
 */
export async function* webSocketFrames(request: FrameRequest): AsyncGenerator<string, void, undefined> {
  const { url, signal, silenceMs } = request
  const socket = openSocket(request)
  const queue = createFrameQueue()
  const silence = new ConnectionError(`${url.pathname} was silent for ${silenceMs} ms`, { timedOut: true })
  let isOpen = false
  const died = () => queue.end(isOpen ? silence : new NotOpened())
  let timer = setTimeout(died, silenceMs)
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(died, silenceMs)
  }
  const listening = new AbortController()
  signal?.addEventListener('abort', () => queue.end(new ConnectionError('aborted')), listening)
  const opened = () => {
    isOpen = true
    request.onConnect?.()
    heard()
  }
  const came = ({ data }: MessageEvent<unknown>) => {
    heard()
    if (queue.push(String(data))) return
    queue.end(new Overtaken())
    socket.close()
  }
  const closed = ({ code }: CloseEvent) => {
    if (!isOpen) return queue.end(new NotOpened())
    queue.end(wasSaid(code) ? undefined : new ConnectionError(`${url.pathname} was cut: WebSocket code ${code}`))
  }
  socket.addEventListener('open', opened, listening)
  socket.addEventListener('message', came, listening)
  socket.addEventListener('close', closed, listening)
  try {
    yield* queue
  } finally {
    clearTimeout(timer)
    listening.abort()
    socket.close()
  }
}

/** True when the server closed the connection deliberately; an earlier frame says why. */
function wasSaid(code: number): boolean {
  return code === 1000 || code >= 4000
}

function openSocket({ url, headers }: FrameRequest): WebSocket {
  const address = new URL(url)
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
  if (Object.keys(headers).length === 0) return new WebSocket(address, subProtocol)
  const options: unknown = { protocols: [subProtocol], headers }
  return new WebSocket(address, options as string)
}
