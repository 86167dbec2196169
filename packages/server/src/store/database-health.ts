import { ApiError } from '@pergola/api'
import type { Log } from '../base/log.ts'
import { databaseFault } from './database-fault.ts'

const sweepMs = 500
/** Every replica reads the change log at least once a second: without an answer for this long, the database is away. */
const silentMs = 5_000
const retryAfter = { 'retry-after': '2' }

export interface HealthOptions {
  readonly log: Pick<Log, 'info' | 'error'>
  /** Of the database, for the log. */
  readonly description: string
}

/** What is known of the database by how it answers. */
export interface DatabaseHealth extends Disposable {
  /** Why requests are not served now; undefined while the database answers. */
  trouble(): string | undefined
  /** One operation on the database; what takes longer than `limitMs` is given up. */
  run<Result>(limitMs: number, work: () => Promise<Result>): Promise<Result>
}

/** What a request is answered by while the database cannot serve. The log leaves it out: the outage itself is written down. */
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

/** An outage is one line in the log when it begins, and one when it ends. */
export function watchHealth({ log, description }: HealthOptions): DatabaseHealth {
  const running = new Set<Running>()
  let answeredAt = performance.now()
  let outage: { readonly since: number; readonly why: string; failed: number } | undefined
  const answered = (startedAt: number) => {
    answeredAt = performance.now()
    // What was asked before it began says nothing about now.
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
      // Others were answered meanwhile: it is this statement that is slow.
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
            // A refusal is an answer, too.
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
