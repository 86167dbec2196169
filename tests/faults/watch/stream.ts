import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { WebSocket } from 'ws'
import { placeOf, type Frame, type SeenObject, type Session } from './history.ts'

/** A watch that records its events in a session. */
export interface Stream {
  /** Resolves at the end; the session has the reason. */
  readonly ended: Promise<void>
  /** Disconnects without a close. */
  drop(): void
  pause(): void
  resume(): void
}

export interface StreamOptions {
  readonly url: string
  readonly token: string
  /** Path with query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

const openMs = 4_000

export function openStream(session: Session, options: StreamOptions): Stream {
  return session.transport === 'WebSocket' ? openWebSocket(session, options) : openEvents(session, options)
}

function openWebSocket(session: Session, { url, token, path, headers = {} }: StreamOptions): Stream {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, ['watch.v1+json'], {
    headers: { authorization: `Bearer ${token}`, ...headers },
    perMessageDeflate: false,
    handshakeTimeout: openMs,
  })
  socket.on('open', () => (session.openedAt = performance.now()))
  socket.on('message', (data) => take(session, (data as Buffer).toString()))
  socket.on('error', (error) => (session.end ??= error.message))
  socket.on('unexpected-response', (_, response) => {
    session.end ??= `refused with ${response.statusCode}`
    socket.terminate()
  })
  const ended = new Promise<void>((resolve) => {
    socket.on('close', (code) => {
      session.end ??= `closed with ${code}`
      resolve()
    })
  })
  return {
    ended,
    drop: () => socket.terminate(),
    pause: () => socket.readyState === socket.OPEN && socket.pause(),
    resume: () => socket.readyState === socket.OPEN && socket.resume(),
  }
}

function openEvents(session: Session, { url, token, path, headers = {} }: StreamOptions): Stream {
  let response: IncomingMessage | undefined
  const sent = request(`${url}${path}`, {
    agent: false,
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers },
  })
  const timer = setTimeout(() => sent.destroy(new Error('no answer')), openMs)
  const ended = new Promise<void>((resolve) => {
    const end = (why: string) => {
      clearTimeout(timer)
      session.end ??= why
      resolve()
    }
    sent.on('error', ({ message }) => end(message))
    // The stream ends when its data is read: earlier data may still wait for a slow reader.
    sent.on('close', () => response ?? end('closed'))
    sent.on('response', (answer) => {
      clearTimeout(timer)
      response = answer
      answer.on('error', ({ message }) => end(message))
      answer.on('close', () => end(answer.complete ? 'closed' : 'broken off'))
      if (answer.statusCode === 200) return readEvents(session, answer)
      session.end ??= `refused with ${answer.statusCode}`
      text(answer).catch(() => {})
    })
  })
  sent.end()
  return {
    ended,
    drop: () => {
      sent.destroy()
      response?.destroy()
    },
    pause: () => response?.pause(),
    resume: () => response?.resume(),
  }
}

function readEvents(session: Session, response: IncomingMessage): void {
  session.openedAt = performance.now()
  let unread = ''
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    const blocks = `${unread}${chunk}`.split('\n\n')
    unread = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1] ?? ''
      const id = /^id: (.*)$/m.exec(block)?.[1]
      const revision = take(session, data)
      if (id !== revision) session.malformed.push(`the event with the revision ${revision} has the id ${id}`)
    }
  })
}

interface SentFrame {
  readonly type: Frame['type']
  readonly revision?: string
  readonly object?: SeenObject & { readonly status?: unknown }
}

/** Returns the revision of the frame. */
function take(session: Session, json: string): string | undefined {
  try {
    const { type, revision, object } = JSON.parse(json) as SentFrame
    const place = revision === undefined ? {} : { place: placeOf(revision) }
    const frame = { type, at: performance.now(), ...place, object, ...(type === 'ERROR' && { status: object?.status }) }
    session.frames.push(frame as Frame)
    return revision
  } catch {
    session.malformed.push(`this is no frame: ${json.slice(0, 200)}`)
    return undefined
  }
}
