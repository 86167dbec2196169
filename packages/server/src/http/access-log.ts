import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '../base/log.ts'
import { traceIn } from '../base/trace-parent.ts'
import { shownPath } from '../base/shown-path.ts'
import type { Client } from './client.ts'
import type { RequestName } from './request-name.ts'

/** The log line of a request, written when its connection is released, however it ended. */
export interface AccessLine {
  /** Adds facts. */
  readonly note: (facts: Readonly<Record<string, unknown>>) => void
  /** Marks a long-lived answer, whose duration is no response time. */
  readonly lasts: () => void
}

export type AccessLog = (
  request: IncomingMessage,
  response: ServerResponse,
  from: { readonly name: RequestName; readonly client: Pick<Client, 'address'> },
) => AccessLine

/** Called with the response time and whether the server failed; not for long-lived answers. */
export type OnAnswered = (ms: number, failed: boolean) => void

export function createAccessLog(log: Log, onAnswered: OnAnswered = () => {}): AccessLog {
  return (request, response, { name, client }) => {
    const { method, url = '' } = request
    const started = performance.now()
    const facts: Record<string, unknown> = {}
    let isLasting = false
    response.once('close', () => {
      const ms = performance.now() - started
      const { statusCode: status, headersSent, writableFinished } = response
      if (!isLasting) onAnswered(ms, status >= 500)
      const line = {
        ...requestFacts(name, client, request),
        method,
        target: shownPath(url),
        ...(headersSent && { status }),
        ms: Math.round(ms * 10) / 10,
        ...(!writableFinished && { cut: true }),
        ...facts,
      }
      if ('err' in line) log.error(line, 'request')
      else if (isProbe(url) && status < 400) log.debug(line, 'request')
      else log.info(line, 'request')
    })
    return {
      note: (more) => void Object.assign(facts, more),
      lasts: () => {
        isLasting = true
      },
    }
  }
}

/** Facts with which every log line of a request begins. */
export function requestFacts(
  { id, proxyId }: RequestName,
  { address }: Pick<Client, 'address'>,
  { headers }: Pick<IncomingMessage, 'headers'>,
): object {
  const { traceId } = traceIn(headers) ?? {}
  return {
    requestId: id,
    ...(proxyId !== undefined && { proxyRequestId: proxyId }),
    ...(traceId !== undefined && { traceId }),
    address,
  }
}

/** Probes come every second or so, and say nothing while all is well. */
function isProbe(url: string): boolean {
  return url === '/livez' || url === '/readyz'
}
