import { Pool } from 'undici'
import { mostDefinitionBytes } from '../read-package.ts'
import { askPlugin } from './ask-plugin.ts'

const healthMs = 1_000
const definitionMs = 5_000
const evaluateMs = 1_000
const mostEvaluationBytes = 16 * 1024 * 1024
/** Requests that are handed on at a time. */
const mostHandedOn = 64
/** A pulse, and as many evaluations as are asked at a time. */
const mostOwn = 8

/** The way to a plugin that runs: HTTP over its socket. */
export interface PluginLink extends AsyncDisposable {
  /** For requests that are handed on. */
  readonly pool: Pool
  /** For those whose answer goes on; how many there may be is counted elsewhere. */
  readonly streams: Pool
  /** The path of its socket, for whatever is no plain request. */
  readonly socket: string
  /** What each of our requests shows. */
  readonly authorization: string
  isHealthy(): Promise<boolean>
  /** What it says it is. */
  definition(): Promise<unknown>
  /** What it says of objects of its models. */
  evaluate(items: readonly object[]): Promise<unknown>
}

interface LinkOptions {
  readonly socket: string
  /** Shown with each of our requests. */
  readonly token: string
}

export function openPluginLink({ socket, token }: LinkOptions): PluginLink {
  const authorization = `Bearer ${token}`
  const open = (connections: number | null) =>
    new Pool('http://plugin', { socketPath: socket, connections, pipelining: 1 })
  const pool = open(mostHandedOn)
  const streams = open(null)
  // Apart from what callers want: their calls may stay open for as long as they like.
  const own = open(mostOwn)
  const get = (path: string, timeoutMs: number) =>
    askPlugin(own, {
      options: { path, method: 'GET', headers: { authorization } },
      timeoutMs,
      maxBytes: mostDefinitionBytes,
    })
  return {
    pool,
    streams,
    socket,
    authorization,
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
