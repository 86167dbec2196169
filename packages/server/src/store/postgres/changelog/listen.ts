import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type Pool } from 'pg'

const connectTimeoutMs = 5_000
/** Backoff between attempts to listen; doubled after each failure. */
const firstRetryMs = 500
const lastRetryMs = 30_000
/** A test notification must return within this time, or notifications are not relied on. */
const proofMs = 2_000
/** Interval of the test. */
const proveEveryMs = 30_000

/** Notifications of sequencer passes on other replicas. Only a hint: polling finds what they miss. */
export interface Listening extends AsyncDisposable {
  /** Whether notifications arrive. Behind some poolers none do, and polling must be more frequent. */
  isProven(): boolean
}

export interface ListenOptions {
  readonly url: string
  readonly pool: Pool
  /** A pass on another replica. */
  readonly onPass: () => void
  /** Server processes of our own connections, whose passes we know of. */
  readonly ours: ReadonlySet<number>
}

export function startListening({ url, pool, onPass, ours }: ListenOptions): Listening {
  const stop = new AbortController()
  const { signal } = stop
  let isProven = false
  const pause = (milliseconds: number) => sleep(milliseconds, undefined, { signal, ref: false }).catch(() => {})
  const listenOnce = async () => {
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      application_name: 'pergola listening',
    })
    const ended = new Promise<void>((resolve) => {
      client.once('end', resolve)
      // Without a listener, an `error` event would end the process.
      client.on('error', () => resolve())
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    let heard: ((word: string) => void) | undefined
    client.on('notification', ({ processId, payload = '' }) => {
      if (payload !== '') heard?.(payload)
      else if (!ours.has(processId)) onPass()
    })
    try {
      await client.connect()
      const { rows } = await client.query<{ channel: string }>('SELECT changes_channel() AS channel')
      const channel = rows[0]?.channel ?? ''
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
      let isOver = false
      void ended.then(() => (isOver = true))
      while (!isOver) {
        const word = randomUUID()
        const echo = new Promise<boolean>((resolve) => (heard = (came) => came === word && resolve(true)))
        await pool.query('SELECT pg_notify($1, $2)', [channel, word])
        isProven = await Promise.race([echo, ended.then(() => false), pause(proofMs).then(() => false)])
        if (!isProven) return
        await Promise.race([ended, pause(proveEveryMs)])
      }
    } finally {
      isProven = false
      // Not awaited: this connection may be the one that hangs.
      client.end().catch(() => {})
    }
  }
  const run = async () => {
    let retryMs = firstRetryMs
    while (!signal.aborted) {
      const began = performance.now()
      await listenOnce().catch(() => {})
      retryMs = performance.now() - began > lastRetryMs ? firstRetryMs : Math.min(lastRetryMs, retryMs * 2)
      await pause(retryMs)
    }
  }
  const running = run()
  return {
    isProven: () => isProven,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await Promise.race([running, sleep(connectTimeoutMs, undefined, { ref: false })])
    },
  }
}
