import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import type { StoredThing } from './collection.ts'
import { open, type RequestOptions } from './request.ts'

interface WatchFrame {
  readonly type: string
  readonly revision?: string
  readonly object?: StoredThing & { readonly reason?: string; readonly status?: unknown; readonly requestId?: string }
}

/** An open watch and what it has received. */
export interface Watching extends Disposable {
  /** All frames received so far. */
  readonly frames: readonly WatchFrame[]
  /** The frames without bookmarks. */
  readonly events: readonly WatchFrame[]
  /** The events as text: `ADDED n-1`. */
  lines(): readonly string[]
  /** Waits for this number of events; returns all events as text. */
  until(count: number): Promise<readonly string[]>
  /** Waits for a frame of this type. */
  frame(type: string): Promise<WatchFrame>
  /** Resolves with the close code when the watch ends. */
  readonly ended: Promise<number>
  /** Stops reading from the connection. */
  pause(): void
  resume(): void
}

export type Transport = 'WebSocket' | 'event stream'
export const transports: readonly Transport[] = ['WebSocket', 'event stream']

export interface WatchOptions extends Pick<RequestOptions, 'headers' | 'as' | 'token'> {
  readonly transport?: Transport
  readonly protocol?: string
}

interface Source {
  readonly url: string
  readonly token: string
}

/** Throws `Refused` when the server does not start the watch. */
export async function watch(source: Source, path: string, options: WatchOptions = {}): Promise<Watching> {
  return options.transport === 'event stream'
    ? watchEvents(source, path, options)
    : watchWebSocket(source, path, options)
}

/** The server's response when it does not open the stream. */
export class Refused extends Error {
  readonly status: number
  readonly body: { readonly reason?: string; readonly detail?: string }
  constructor(status: number, text: string) {
    super(`${status} ${text.slice(0, 300)}`)
    this.status = status
    this.body = text.startsWith('{') ? (JSON.parse(text) as Refused['body']) : {}
  }
}

async function watchWebSocket({ url, token }: Source, path: string, options: WatchOptions): Promise<Watching> {
  const { headers = {}, as, token: others = token, protocol } = options
  const authorization = as === 'anonymous' ? {} : { authorization: `Bearer ${others}` }
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, protocol === undefined ? [] : [protocol], {
    headers: { ...authorization, ...headers },
    perMessageDeflate: false,
  })
  const reading = startReading({
    close: () => socket.terminate(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  })
  socket.on('message', (data) => reading.take(JSON.parse((data as Buffer).toString()) as WatchFrame))
  socket.on('close', (code) => reading.end(code))
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve())
    socket.once('unexpected-response', (_, response) => {
      void textOf(response).then((text) => reject(new Refused(Number(response.statusCode), text)))
    })
    socket.on('error', reject)
  })
  return reading.watching
}

async function watchEvents({ url, token }: Source, path: string, options: WatchOptions): Promise<Watching> {
  const { headers = {}, ...rest } = options
  const accept = { accept: 'text/event-stream', ...headers }
  const response = await open(url, token, { method: 'GET', path, headers: accept, ...rest, slowly: true })
  if (response.statusCode !== 200 || !String(response.headers['content-type']).startsWith('text/event-stream')) {
    throw new Refused(Number(response.statusCode), await textOf(response))
  }
  const reading = startReading({
    close: () => response.destroy(),
    pause: () => response.pause(),
    resume: () => response.resume(),
  })
  let unread = ''
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    const blocks = `${unread}${chunk}`.split('\n\n')
    unread = blocks.pop() ?? ''
    for (const block of blocks) reading.take(frameIn(block))
  })
  response.on('error', () => {})
  response.on('close', () => reading.end(response.complete ? 1000 : 1006))
  return reading.watching
}

/** The id of an event is its revision. */
function frameIn(block: string): WatchFrame {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)))
  const frame = JSON.parse(fields['data'] ?? '') as WatchFrame
  expect(fields['id']).toBe(frame.revision)
  return frame
}

interface Control {
  readonly close: () => void
  readonly pause: () => void
  readonly resume: () => void
}

function startReading({ close, pause, resume }: Control) {
  const frames: WatchFrame[] = []
  let end: (code: number) => void = () => {}
  const ended = new Promise<number>((resolve) => (end = resolve))
  const events = () => frames.filter(({ type }) => type !== 'BOOKMARK')
  const lines = () => events().map(({ type, object }) => `${type} ${object?.metadata?.name ?? object?.reason}`)
  const wait = async (done: () => boolean) => {
    for (let waited = 0; !done() && waited < 6_000; waited++) await sleep(10)
  }
  const watching: Watching = {
    frames,
    get events() {
      return events()
    },
    lines,
    until: async (count) => {
      await wait(() => events().length >= count)
      // Waits for an unexpected further event.
      await sleep(30)
      return lines()
    },
    frame: async (type) => {
      const find = () => frames.find((frame) => frame.type === type)
      await wait(() => find() !== undefined)
      return find() ?? expect.fail(`no ${type} came, but ${lines().join(', ')}`)
    },
    ended,
    pause,
    resume,
    [Symbol.dispose]: close,
  }
  return { watching, take: (frame: WatchFrame) => frames.push(frame), end }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return text
}
