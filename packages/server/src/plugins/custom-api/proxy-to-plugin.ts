import type { Readable } from 'node:stream'
import { ApiError, isApiError, localTarget } from '@pergola/api'
import { errors, type Dispatcher } from 'undici'
import { traced } from '../../base/tracing.ts'
import type { IncomingRequest } from '../../call/call.ts'
import type { StreamLimits } from '../../models/query/stream-limits.ts'
import type { ProxiedAnswer } from '../../call/proxied-answer.ts'
import { headersFromPlugin, headersToPlugin, type ProxiedHead } from './forwarded-headers.ts'
import { proxyRequest } from './proxy-request.ts'

/** Timeout until the first byte of the answer. */
export const answerMs = 30_000
/** An answer that makes no progress for this long is aborted. */
export const stalledMs = 60_000

/** How to reach a running plugin. */
export interface PluginDoor {
  readonly name: string
  readonly pool: Dispatcher
  /** Shares the connections of `pool` between callers. */
  readonly share: StreamLimits
  /** A separate pool for long-lived answers, so that they do not block others. */
  readonly streams: Dispatcher
  /** The path of its Unix socket. */
  readonly socket: string
  readonly authorization: string
  /** Called with the time until an answer began, unless it lasts as long as the client listens. */
  readonly onAnswer?: (seconds: number) => void
  /** Aborted when the plugin is being stopped. */
  readonly stopping: AbortSignal
}

export interface ForwardOptions {
  readonly caller: ProxiedHead['caller']
  readonly maxBody: number
  /** Acquires a connection for the caller and returns a function that releases it; throws if none is free. */
  readonly enter?: () => () => void
  /** Headers of the answer that the route names. */
  readonly responseHeaders?: readonly string[] | undefined
  /** The answer lasts as long as the client listens. */
  readonly isStream?: boolean
  readonly answerMs?: number
  readonly stalledMs?: number
}

/** Forwards a request to the plugin that answers it, with the same path. */
export function proxyToPlugin(
  { name, pool, streams, authorization, onAnswer }: PluginDoor,
  { id, method, target, headers }: IncomingRequest,
  options: ForwardOptions,
): ProxiedAnswer {
  const pass: ProxiedAnswer['proxy'] = async ({ body, begin, whenGone }) => {
    const { caller, maxBody, responseHeaders } = options
    const leave = options.enter?.()
    const sentAt = performance.now()
    const sent: { body: Readable | null; failure?: unknown } = { body: body(maxBody) ?? null }
    sent.body?.once('error', (failure) => (sent.failure = failure))
    try {
      await proxyRequest(options.isStream ? streams : pool, {
        options: {
          path: localTarget(target),
          method,
          headers: headersToPlugin(headers, { authorization, requestId: id, caller }),
          body: sent.body,
          headersTimeout: options.answerMs ?? answerMs,
          bodyTimeout: options.stalledMs ?? stalledMs,
        },
        begin: (status, answered) => {
          if (!options.isStream) onAnswer?.((performance.now() - sentAt) / 1000)
          return begin(status, headersFromPlugin(answered, { requestId: id, named: responseHeaders }))
        },
        whenGone,
      })
    } catch (error) {
      if (hasGone(error)) return
      throw isApiError(sent.failure) ? sent.failure : toPluginError(name, error)
    } finally {
      leave?.()
    }
  }
  return { proxy: (exchange) => traced('plugin', { 'pergola.plugin': name }, () => pass(exchange)) }
}

/** The error for the caller, who cannot fix the cause. */
export function toPluginError(plugin: string, cause: unknown): ApiError {
  if (cause instanceof errors.HeadersTimeoutError) {
    return new ApiError('PluginTimeout', `the plugin ${plugin} has not answered in time; try again`, { cause })
  }
  const isDown = isCode(cause, 'ECONNREFUSED') || isCode(cause, 'ENOENT')
  if (isDown) {
    const headers = { 'retry-after': '1' }
    return new ApiError('PluginNotStarted', `the plugin ${plugin} is not running; try again`, { headers, cause })
  }
  return pluginFailed(plugin, cause)
}

export function pluginFailed(plugin: string, cause?: unknown): ApiError {
  return new ApiError('PluginFailed', `the plugin ${plugin} failed to answer; its log has the details`, { cause })
}

/** Whether the client disconnected before it had everything: its stream closed, or the request was aborted. */
function hasGone(error: unknown): boolean {
  return error instanceof errors.RequestAbortedError || isCode(error, 'ERR_STREAM_PREMATURE_CLOSE')
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
