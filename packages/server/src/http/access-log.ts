import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../base/log.ts'
import { shownPath } from '../base/shown-path.ts'

/** One log line per request, written when the connection is done with it, however it ended. */
export interface AccessLog {
  begin(request: FastifyRequest, reply: FastifyReply): void
  /** Adds facts to the request's log line. */
  note(request: FastifyRequest, facts: Readonly<Record<string, unknown>>): void
}

/**
 * Called with the duration of an answer and whether the server failed; not for streams, which last as long as the client
 * listens.
 */
export type OnAnswered = (ms: number, failed: boolean) => void

export function createAccessLog(log: Log, onAnswered: OnAnswered = () => {}): AccessLog {
  const noted = new WeakMap<FastifyRequest, Record<string, unknown>>()
  return {
    begin: (request, reply) => {
      const started = performance.now()
      const facts: Record<string, unknown> = {}
      noted.set(request, facts)
      reply.raw.once('close', () => {
        const ms = performance.now() - started
        if (!isStream(reply)) onAnswered(ms, reply.statusCode >= 500)
        const line = {
          requestId: request.id,
          method: request.method,
          target: shownPath(request.url),
          ...(reply.raw.headersSent && { status: reply.statusCode }),
          ms: Math.round(ms * 10) / 10,
          ...(!reply.raw.writableFinished && { cut: true }),
          ...facts,
        }
        if ('err' in line) log.error(line, 'request')
        else log.info(line, 'request')
      })
    },
    note: (request, facts) => {
      Object.assign(noted.get(request) ?? {}, facts)
    },
  }
}

function isStream(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream')
}
