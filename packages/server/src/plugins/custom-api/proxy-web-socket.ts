import { request as send, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, isApiError, localTarget, type Reason } from '@pergola/api'
import type { IncomingRequest } from '../../call/call.ts'
import { closeCodes } from '../../call/close-codes.ts'
import type { Accepted, Closing, Declined, ProxiedWebSocket } from '../../call/proxied-web-socket.ts'
import {
  answerMs,
  pluginFailed,
  stalledMs,
  toPluginError,
  type ForwardOptions,
  type PluginDoor,
} from './proxy-to-plugin.ts'
import { headersFromPlugin, headersToPlugin } from './forwarded-headers.ts'

/** Begins a long-lived stream; calls `end` when it may not continue. Throws when it may not begin. */
export type Lasting = (end: (why: unknown) => void) => Promise<Disposable>

interface PassOnOptions extends Pick<ForwardOptions, 'caller' | 'answerMs' | 'responseHeaders'> {
  readonly lasting: Lasting
}

/** Headers of the WebSocket handshake (RFC 6455). */
const handshake = ['sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions']

/** Forwards a WebSocket to the plugin that answers it, over its own connection, without reading its content. */
export function proxyWebSocket(
  door: PluginDoor,
  request: IncomingRequest,
  { caller, lasting, ...options }: PassOnOptions,
): ProxiedWebSocket {
  /** The reason for a close that was requested before the socket was opened. */
  let early: Closing | undefined
  let close = (why: Closing) => {
    early ??= why
  }
  return {
    ask: async (signal) => {
      const held = await lasting((why) => close(closingOf(why)))
      const release = () => held[Symbol.dispose]()
      signal.addEventListener('abort', release, { once: true })
      if (signal.aborted) release()
      signal.throwIfAborted()
      const headers = headersToPlugin(request.headers, {
        authorization: door.authorization,
        requestId: request.id,
        caller,
      })
      return ask(door, {
        id: request.id,
        target: localTarget(request.target),
        headers,
        signal,
        answerMs: options.answerMs ?? answerMs,
        named: options.responseHeaders ?? [],
      })
    },
    opened: (closeNow) => {
      close = closeNow
      if (early) close(early)
    },
  }
}

interface Question {
  readonly id: string
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly signal: AbortSignal
  readonly answerMs: number
  /** Headers of the answer that the route names. */
  readonly named: readonly string[]
}

async function ask(door: PluginDoor, question: Question): Promise<Accepted | Declined> {
  const { name, socket } = door
  const { id, target, headers, signal, named } = question
  const asked = send({
    socketPath: socket,
    path: target,
    agent: false,
    signal,
    headers: { ...headers, host: 'plugin', connection: 'Upgrade', upgrade: 'websocket' },
  })
  const late = new ApiError('PluginTimeout', `the plugin ${name} has not answered in time; try again`)
  const timer = setTimeout(() => asked.destroy(late), question.answerMs)
  try {
    return await new Promise<Accepted | Declined>((resolve, reject) => {
      asked.on('error', reject)
      asked.once('response', (body: IncomingMessage) => {
        asked.setTimeout(stalledMs, () => body.destroy())
        resolve({
          status: body.statusCode ?? 502,
          headers: headersFromPlugin(body.headers, { requestId: id, named }),
          body,
        })
      })
      asked.once('upgrade', (answer: IncomingMessage, connection: Duplex, head: Buffer) => {
        if (answer.headers.upgrade?.toLowerCase() !== 'websocket') {
          connection.destroy()
          return reject(pluginFailed(name))
        }
        const lost = lostTo.bind(undefined, door)
        const passed = headersFromPlugin(answer.headers, { requestId: id, named: [...handshake, ...named] })
        return resolve({ headers: passed, connection, head, lost })
      })
      asked.end()
    })
  } catch (error) {
    throw isApiError(error) ? error : toPluginError(name, error)
  } finally {
    clearTimeout(timer)
  }
}

/** The close code and reason when a plugin's connection was lost. */
function lostTo({ name, stopping }: PluginDoor): Closing {
  if (stopping.aborted) return { code: closeCodes.goingAway, reason: `the plugin ${name} is stopped` }
  return { code: closeCodes.failed, reason: `the plugin ${name} has exited` }
}

const denials = new Set<Reason>(['Unauthenticated', 'Forbidden'])

/** Codes from 4000 on are for the plugin's own use; these are the standard ones. */
function closingOf(why: unknown): Closing {
  if (why === undefined)
    return { code: closeCodes.goingAway, reason: 'the stream has reached its maximum duration; connect again' }
  const reason = isApiError(why) ? why.reason : 'Internal'
  if (reason === 'Draining') return { code: closeCodes.goingAway, reason: 'the server is stopping' }
  return { code: denials.has(reason) ? closeCodes.notAllowed : closeCodes.failed, reason }
}
