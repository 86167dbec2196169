import { Pool } from 'undici'
import { createStreamLimits, type StreamLimits } from '../../models/query/stream-limits.ts'
import { mostDefinitionBytes } from '../package/read-package.ts'
import { askPlugin } from './ask-plugin.ts'

export const healthMs = 1_000
const definitionMs = 5_000
export const evaluateMs = 1_000
export const mostEvaluationBytes = 16 * 1024 * 1024
/** Maximum number of forwarded requests in flight; a caller may have a quarter. */
export const mostProxied = 256
/** Enough for a health check and all concurrent evaluations. */
const mostOwn = 8

/** The connection to a running plugin: HTTP over its socket. */
export interface PluginLink extends AsyncDisposable {
  /** For forwarded requests. */
  readonly pool: Pool
  /** Shares the connections of `pool` between callers. */
  readonly share: StreamLimits
  /** For requests with long-lived answers; their number is limited by the stream quota. */
  readonly streams: Pool
  /** The path of its socket, for WebSockets. */
  readonly socket: string
  /** The authorization header of the host's requests. */
  readonly authorization: string
  /** Forwarded requests that it has not finished answering. */
  openRequests(): number
  isHealthy(): Promise<boolean>
  /** The definition reported by the plugin. */
  definition(): Promise<unknown>
  /** Asks the plugin about objects of its models. */
  evaluate(items: readonly object[]): Promise<unknown>
}

interface LinkOptions {
  /** The plugin. */
  readonly name: string
  readonly socket: string
  /** Sent with each request of the host. */
  readonly token: string
}

export function openPluginLink({ name, socket, token }: LinkOptions): PluginLink {
  const authorization = `Bearer ${token}`
  const open = (connections: number | null) =>
    new Pool('http://plugin', { socketPath: socket, connections, pipelining: 1 })
  const pool = open(mostProxied)
  const streams = open(null)
  // Separate from callers' requests, which may stay open forever.
  const own = open(mostOwn)
  const get = (path: string, timeoutMs: number) =>
    askPlugin(own, {
      options: { path, method: 'GET', headers: { authorization } },
      timeoutMs,
      maxBytes: mostDefinitionBytes,
    })
  const share = createStreamLimits({
    inAll: mostProxied,
    perCaller: mostProxied / 4,
    what: `requests to the plugin ${name}`,
    instead: 'send fewer at a time',
    whenFull: 'Unavailable',
  })
  return {
    pool,
    share,
    streams,
    socket,
    authorization,
    openRequests: () => pool.stats.running + streams.stats.running,
    isHealthy: async () => {
      try {
        return (await get('/pergola/health', healthMs)).status === 200
      } catch {
        return false
      }
    },
    definition: async () => {
      const { status, text } = await get('/pergola/definition', definitionMs)
      if (status !== 200) throw new Error(`its definition was answered with ${status}`)
      return JSON.parse(text) as unknown
    },
    evaluate: async (items) => {
      const { status, text } = await askPlugin(own, {
        options: {
          path: '/pergola/evaluate',
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify({ items }),
        },
        timeoutMs: evaluateMs,
        maxBytes: mostEvaluationBytes,
      })
      if (status !== 200) throw new Error(`its evaluation was answered with ${status}`)
      return JSON.parse(text) as unknown
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([pool, streams, own].map((one) => one.destroy()))
    },
  }
}
