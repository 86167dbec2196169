import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../base/log.ts'

/** One line a request, written when the connection is done with it, however it ended. */
export interface AccessLog {
  begin(request: FastifyRequest, reply: FastifyReply): void
  /** Adds to the request's line. */
  note(request: FastifyRequest, facts: Readonly<Record<string, unknown>>): void
}

export function createAccessLog(log: Log): AccessLog {
  const noted = new WeakMap<FastifyRequest, Readonly<Record<string, unknown>>>()
  return {
    begin: (request, reply) => {
      const started = performance.now()
      reply.raw.once('close', () => {
        const line = {
          requestId: request.id,
          method: request.method,
          target: request.url,
          ...(reply.raw.headersSent && { status: reply.statusCode }),
          ms: Math.round((performance.now() - started) * 10) / 10,
          ...(!reply.raw.writableFinished && { cut: true }),
          ...noted.get(request),
        }
        if ('err' in line) log.error(line, 'request')
        else log.info(line, 'request')
      })
    },
    note: (request, facts) => {
      noted.set(request, { ...noted.get(request), ...facts })
    },
  }
}
