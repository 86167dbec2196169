import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { WebSocket } from 'ws'
import { Refused } from './watching.ts'

export interface ConnectOptions {
  readonly protocols?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** The caller's token; without one the caller is anonymous. */
  readonly token?: string | undefined
}

/** An open WebSocket. */
export interface Connection extends Disposable {
  readonly protocol: string
  readonly headers: IncomingMessage['headers']
  send(message: string | Buffer): void
  /** The next unread message. */
  next(): Promise<string>
  close(): void
  /** How it was closed: `1001 the server is stopping`. */
  readonly closed: Promise<string>
}

/** Throws `Refused` with the server's response when the WebSocket is not opened. */
export async function connect(url: string, options: ConnectOptions = {}): Promise<Connection> {
  const { protocols = [], headers = {}, token } = options
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const socket = new WebSocket(url.replace(/^http/, 'ws'), [...protocols], {
    headers: { ...authorization, ...headers },
    perMessageDeflate: false,
  })
  const messages: string[] = []
  const waiting: ((message: string) => void)[] = []
  socket.on('message', (data) => {
    const message = (data as Buffer).toString()
    const take = waiting.shift()
    if (take) take(message)
    else messages.push(message)
  })
  const closed = new Promise<string>((resolve) => {
    socket.on('close', (code, reason) => resolve(`${code} ${reason.toString()}`.trim()))
  })
  const answered = await new Promise<IncomingMessage>((resolve, reject) => {
    let upgraded: IncomingMessage
    socket.once('upgrade', (response) => (upgraded = response))
    socket.once('open', () => resolve(upgraded))
    socket.once('unexpected-response', (_, response) => {
      void text(response).then((body) => reject(new Refused(Number(response.statusCode), body)))
    })
    socket.on('error', reject)
  })
  return {
    protocol: socket.protocol,
    headers: answered.headers,
    send: (message) => socket.send(message),
    next: async () => messages.shift() ?? new Promise<string>((resolve) => waiting.push(resolve)),
    close: () => socket.close(1000),
    closed,
    [Symbol.dispose]: () => socket.terminate(),
  }
}
