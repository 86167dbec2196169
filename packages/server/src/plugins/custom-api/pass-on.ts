import { request as send, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, isApiError, localTarget, type Reason } from '@pergola/api'
import type { IncomingRequest } from '../../base/call.ts'
import {
  failed,
  goingAway,
  notAllowed,
  type Accepted,
  type Closing,
  type Declined,
  type Passage,
} from '../../base/passage.ts'
import { answerMs, pluginFailed, stalledMs, told, type ForwardOptions, type PluginDoor } from './forward.ts'
import { headersFromPlugin, headersToPlugin } from './forwarded-headers.ts'

/** Begins what goes on; told `end` when it may not any more. Throws when it may not begin. */
export type Lasting = (end: (why: unknown) => void) => Promise<Disposable>

/** Hands a WebSocket on to the plugin that answers it. A connection of its own for each, and nothing of it is read. */
export function passOn(
  door: PluginDoor,
  request: IncomingRequest,
  { caller, lasting, ...options }: Pick<ForwardOptions, 'caller' | 'answerMs'> & { readonly lasting: Lasting },
): Passage {
  /** Before it is opened, what came too early. */
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
}

async function ask(door: PluginDoor, question: Question): Promise<Accepted | Declined> {
  const { name, socket } = door
  const { id, target, headers, signal } = question
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
        resolve({ status: body.statusCode ?? 502, headers: headersFromPlugin(body.headers, id), body })
      })
      asked.once('upgrade', (answer: IncomingMessage, connection: Duplex, head: Buffer) => {
        if (answer.headers.upgrade?.toLowerCase() !== 'websocket') {
          connection.destroy()
          return reject(pluginFailed(name))
        }
        const lost = lostTo.bind(undefined, door)
        return resolve({ headers: headersFromPlugin(answer.headers, id), connection, head, lost })
      })
      asked.end()
    })
  } catch (error) {
    throw isApiError(error) ? error : told(name, error)
  } finally {
    clearTimeout(timer)
  }
}

/** What is told of a plugin that has gone without a word. */
function lostTo({ name, stopping }: PluginDoor): Closing {
  if (stopping.aborted) return { code: goingAway, reason: `the plugin ${name} is stopped` }
  return { code: failed, reason: `the plugin ${name} has gone` }
}

const denials = new Set<Reason>(['Unauthenticated', 'Forbidden'])

/** Numbers from 4000 on are for the plugin's own use; these are everybody's. */
function closingOf(why: unknown): Closing {
  if (why === undefined) return { code: goingAway, reason: 'open for long enough; connect again' }
  const reason = isApiError(why) ? why.reason : 'Internal'
  if (reason === 'Draining') return { code: goingAway, reason: 'the server is stopping' }
  return { code: denials.has(reason) ? notAllowed : failed, reason }
}
