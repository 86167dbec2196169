import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'

export interface RequestOptions {
  /** Sent as JSON; a string or bytes are sent unchanged. */
  readonly body?: unknown
  /** The default `content-type` is JSON. */
  readonly headers?: Readonly<Record<string, string>>
  /** The default is the administrator. */
  readonly as?: 'administrator' | 'anonymous'
  /** The token of another user. */
  readonly token?: string
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Parsed if it is JSON. */
  readonly body: unknown
  readonly text: string
}

export type Send = (method: string, path: string, options?: RequestOptions) => Promise<Answer>

interface Line extends RequestOptions {
  readonly method: string
  readonly path: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 32 })

/** Closes idle connections to a server that is going to stop, which would wait a second for a request on each. */
export function closeIdle(url: string): void {
  const { port } = new URL(url)
  const idle = Object.entries(agent.freeSockets).filter(([name]) => name.split(':')[1] === port)
  for (const socket of idle.flatMap(([, sockets = []]) => sockets)) socket.destroy()
}

/** Uses node:http, because `fetch` normalizes paths (`/a/../b` becomes `/b`). */
export async function send(url: string, token: string, line: Line): Promise<Answer> {
  const response = await open(url, token, line)
  const body = await text(response)
  return { status: Number(response.statusCode), headers: response.headers, body: parsed(body), text: body }
}

/** Returns the response before its body is read; with `slowly` on its own connection. */
export async function open(
  url: string,
  token: string,
  { method, path, body, headers = {}, as, token: others = token, slowly = false }: Line & { readonly slowly?: boolean },
): Promise<IncomingMessage> {
  const bytes = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const { hostname, port } = new URL(url)
  const request = httpRequest({
    hostname,
    port,
    method,
    path,
    agent: slowly ? new Agent() : agent,
    headers: {
      ...(as !== 'anonymous' && { authorization: `Bearer ${others}` }),
      ...(bytes !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }),
      ...headers,
    },
  })
  request.end(bytes)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Fails with the body of the response, which explains an unexpected status. */
export function expectStatus(answer: Answer, status: number): void {
  expect(answer.status, answer.text.slice(0, 500)).toBe(status)
}

export function expectProblem(answer: Answer, status: number, reason: string): void {
  const { reason: found } = (answer.body ?? {}) as { readonly reason?: string }
  expect(`${answer.status} ${found}`, answer.text.slice(0, 500)).toBe(`${status} ${reason}`)
}
