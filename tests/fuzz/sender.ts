import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { token } from './server-process.ts'

/** One HTTP request. */
export interface Line {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Buffer
  readonly anonymous?: boolean
}

export interface Answer {
  /** 0 without a response. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly ms: number
  /** Why there was no complete response. */
  readonly failure?: string
}

/** A persistent connection with one request at a time. */
export interface Connection extends Disposable {
  send(line: Line): Promise<Answer>
}

/** Much longer than a response may take, to distinguish a slow response from none. */
const giveUpMs = 30_000

export function openConnection(url: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { hostname, port } = new URL(url)
  return {
    send: ({ method, path, headers, body, anonymous = false }) =>
      new Promise((resolve) => {
        const began = performance.now()
        const fail = (error: Error) => resolve({ ...noAnswer(error.message), ms: performance.now() - began })
        const request = httpRequest({
          hostname,
          port,
          method,
          path,
          agent,
          headers: {
            ...(!anonymous && { authorization: `Bearer ${token}` }),
            ...(body && { 'content-length': body.length }),
            ...headers,
          },
        })
        request.setTimeout(giveUpMs, () => request.destroy(new Error(`no answer in ${giveUpMs} ms`)))
        request.on('error', fail)
        request.on('response', (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', fail)
          const answered = () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString(),
              ms: performance.now() - began,
            })
          response.on('end', answered)
          // A stream does not end by itself.
          if (response.headers['content-type'] !== 'text/event-stream') return
          answered()
          request.destroy()
        })
        request.end(body)
      }),
    [Symbol.dispose]: () => agent.destroy(),
  }
}

/** Sends raw bytes on a new connection. */
export function sendBytes(url: string, bytes: Buffer): Promise<Answer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const began = performance.now()
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.end(bytes))
    socket.setTimeout(giveUpMs, () => socket.destroy(new Error(`no end in ${giveUpMs} ms`)))
    socket.on('data', (chunk) => chunks.push(chunk))
    let failure: string | undefined
    socket.on('error', (error) => (failure = error.message))
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString('latin1')
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
      const ms = performance.now() - began
      resolve({ status, headers: {}, text, ms, ...(failure !== undefined && { failure }) })
    })
  })
}

function noAnswer(failure: string): Omit<Answer, 'ms'> {
  return { status: 0, headers: {}, text: '', failure }
}
