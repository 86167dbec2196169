import { ApiError } from '@pergola/api'
import type { Log } from '../base/log.ts'
import { databaseFault } from './database-fault.ts'

const sweepMs = 500
/**
 * Every replica reads the change log at least once a second. After this long without an answer, the database counts as
 * unavailable.
 */
const silentMs = 5_000
const retryAfter = { 'retry-after': '2' }

export interface HealthOptions {
  readonly log: Pick<Log, 'info' | 'error'>
  /** The database, for the log. */
  readonly description: string
}

/** Tracks whether the database answers. */
export interface DatabaseHealth extends Disposable {
  /** Why requests cannot be served now; undefined while the database answers. */
  trouble(): string | undefined
  /** Runs one operation on the database; gives up after `limitMs`. */
  run<Result>(limitMs: number, work: () => Promise<Result>): Promise<Result>
}

/** The error for a request while the database is unavailable. Requests are not logged for it: the outage itself is. */
export class Outage extends ApiError {
  readonly isOutage = true

  constructor(why: string, cause?: unknown) {
    super('Unavailable', `${why}; try again`, { headers: retryAfter, ...(cause !== undefined && { cause }) })
  }
}

interface Running {
  readonly startedAt: number
  readonly until: number
  readonly giveUp: (error: Error) => void
}

/** Logs an outage once when it begins and once when it ends. */
export function watchHealth({ log, description }: HealthOptions): DatabaseHealth {
  const running = new Set<Running>()
  let answeredAt = performance.now()
  let outage: { readonly since: number; readonly why: string; failed: number } | undefined
  const answered = (startedAt: number) => {
    answeredAt = performance.now()
    // An answer to an operation that began before the outage does not end it.
    if (!outage || startedAt < outage.since) return
    const seconds = Math.round((answeredAt - outage.since) / 100) / 10
    log.info({ seconds, failed: outage.failed }, 'the database answers again')
    outage = undefined
  }
  const failed = (why: string, cause?: unknown) => {
    if (!outage) {
      outage = { since: performance.now(), why, failed: 0 }
      log.error({ err: cause, database: description }, 'the database does not answer; requests get 503 until it does')
    }
    outage.failed++
    return new Outage(why, cause)
  }
  const sweep = setInterval(() => {
    for (const one of running) {
      if (performance.now() < one.until) continue
      running.delete(one)
      const why = silence(one.startedAt)
      // Other operations were answered meanwhile, so only this statement is slow.
      one.giveUp(answeredAt > one.startedAt ? new Outage(why) : failed(why))
    }
  }, sweepMs)
  sweep.unref()
  return {
    trouble: () => outage?.why ?? (performance.now() - answeredAt < silentMs ? undefined : silence(answeredAt)),
    run: (limitMs, work) =>
      new Promise((resolve, reject) => {
        const startedAt = performance.now()
        const one: Running = { startedAt, until: startedAt + limitMs, giveUp: reject }
        running.add(one)
        const settle = async () => {
          try {
            const result = await work()
            answered(startedAt)
            resolve(result)
          } catch (error) {
            const why = databaseFault(error)
            // An error that is not a database failure is an answer, too.
            if (why === undefined) answered(startedAt)
            reject(why === undefined ? (error as Error) : failed(why, error))
          } finally {
            running.delete(one)
          }
        }
        void settle()
      }),
    [Symbol.dispose]: () => clearInterval(sweep),
  }
}

function silence(since: number): string {
  return `the database has not answered for ${Math.round((performance.now() - since) / 1000)} seconds`
}
