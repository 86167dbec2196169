import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '../base/log.ts'
import { shownPath } from '../base/shown-path.ts'

/** The log line of a request, written when its connection is released, however it ended. */
export interface AccessLine {
  /** Adds facts. */
  readonly note: (facts: Readonly<Record<string, unknown>>) => void
  /** Marks a long-lived answer, whose duration is no response time. */
  readonly lasts: () => void
}

export type AccessLog = (id: string, request: IncomingMessage, response: ServerResponse) => AccessLine

/** Called with the response time and whether the server failed; not for long-lived answers. */
export type OnAnswered = (ms: number, failed: boolean) => void

export function createAccessLog(log: Log, onAnswered: OnAnswered = () => {}): AccessLog {
  return (requestId, { method, url = '' }, response) => {
    const started = performance.now()
    const facts: Record<string, unknown> = {}
    let isLasting = false
    response.once('close', () => {
      const ms = performance.now() - started
      const { statusCode: status, headersSent, writableFinished } = response
      if (!isLasting) onAnswered(ms, status >= 500)
      const line = {
        requestId,
        method,
        target: shownPath(url),
        ...(headersSent && { status }),
        ms: Math.round(ms * 10) / 10,
        ...(!writableFinished && { cut: true }),
        ...facts,
      }
      if ('err' in line) log.error(line, 'request')
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
