import { ApiError } from '@pergola/api'
import type { Log } from '../base/log.ts'
import { databaseFault, type DatabaseFault } from './database-fault.ts'

const sweepMs = 500
/**
 * Every replica reads the change log at least once a second. After this long without an answer, the database counts as
 * unavailable.
 */
const silentMs = 5_000
/** Retry interval of a test write while the database cannot write, because a replica that is not ready gets no other writes. */
const probeMs = 2_000
const retryAfter = { 'retry-after': '2' }

export interface HealthOptions {
  readonly log: Pick<Log, 'info' | 'error'>
  /** The database, for the log. */
  readonly description: string
  /** Writes something to the database. */
  readonly probe?: () => Promise<unknown>
}

/** Tracks whether the database answers. */
export interface DatabaseHealth extends Disposable {
  /** Why requests cannot be served now; undefined while the database reads and writes. */
  trouble(): string | undefined
  /** Whether reads are answered, even if writes are not. */
  isReadable(): boolean
  /**
   * Runs one operation on the database; times out after `limitMs`. `isWritten` decides by the result whether the database
   * has written something; by default it has not.
   */
  run<Result>(limitMs: number, work: () => Promise<Result>, isWritten?: (result: Result) => boolean): Promise<Result>
}

/** The error for a request while the database is unavailable. Not logged per request, because the outage itself is logged. */
export class Outage extends ApiError {
  readonly isOutage = true

  constructor(why: string, cause?: unknown) {
    super('Unavailable', `${why}; try again`, { headers: retryAfter, ...(cause !== undefined && { cause }) })
  }
}

interface Running {
  readonly startedAt: number
  readonly until: number
  giveUp: (error: Error) => void
}

/** Made once: a function made beside `reject` would keep it, too. */
const isOver = () => {}

interface CurrentOutage extends DatabaseFault {
  readonly since: number
  failed: number
}

const beginMessages = {
  read: 'the database does not answer; requests get 503 until it does',
  write: 'the database cannot write; writes get 503 until it can',
}
const endMessages = { read: 'the database answers again', write: 'the database writes again' }

/** Logs an outage when it begins and when it ends. */
export function watchHealth({ log, description, probe }: HealthOptions): DatabaseHealth {
  const running = new Set<Running>()
  let answeredAt = performance.now()
  let outage: CurrentOutage | undefined
  const recordAnswer = (startedAt: number, isWritten: boolean) => {
    answeredAt = performance.now()
    // The result of an operation that began before the outage does not end it.
    if (!outage || startedAt < outage.since) return
    // Reads succeed on a full disk.
    if (outage.ofWrites && !isWritten) return
    const seconds = Math.round((answeredAt - outage.since) / 100) / 10
    log.info({ seconds, failed: outage.failed }, endMessages[outage.ofWrites ? 'write' : 'read'])
    outage = undefined
  }
  const recordFailure = (fault: DatabaseFault, cause?: unknown) => {
    if (!outage) {
      outage = { ...fault, since: performance.now(), failed: 0 }
      log.error({ err: cause, database: description }, beginMessages[fault.ofWrites ? 'write' : 'read'])
    }
    outage.failed++
    return new Outage(fault.why, cause)
  }
  const run: DatabaseHealth['run'] = (limitMs, work, isWritten = () => false) =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now()
      const one: Running = { startedAt, until: startedAt + limitMs, giveUp: reject }
      running.add(one)
      const settle = async () => {
        try {
          const result = await work()
          recordAnswer(startedAt, isWritten(result))
          resolve(result)
        } catch (error) {
          const fault = databaseFault(error)
          // Any other error proves that the database answers.
          if (!fault) recordAnswer(startedAt, false)
          reject(fault ? recordFailure(fault, error) : (error as Error))
        } finally {
          running.delete(one)
          // A set keeps what was deleted until it is rebuilt, and V8 the set before that, with the result behind `reject`.
          one.giveUp = isOver
        }
      }
      void settle()
    })
  let probedAt = 0
  const sweep = setInterval(() => {
    for (const one of running) {
      if (performance.now() < one.until) continue
      running.delete(one)
      const why = silence(one.startedAt)
      // Other operations succeeded meanwhile, so only this statement is slow.
      one.giveUp(answeredAt > one.startedAt ? new Outage(slow(one.startedAt)) : recordFailure({ why, ofWrites: false }))
    }
    if (!probe || !outage?.ofWrites || performance.now() - probedAt < probeMs) return
    probedAt = performance.now()
    run(probeMs, probe, () => true).catch(() => {})
  }, sweepMs)
  sweep.unref()
  const isSilent = () => performance.now() - answeredAt >= silentMs
  return {
    trouble: () => outage?.why ?? (isSilent() ? silence(answeredAt) : undefined),
    isReadable: () => (outage === undefined || outage.ofWrites) && !isSilent(),
    run,
    [Symbol.dispose]: () => clearInterval(sweep),
  }
}

function silence(since: number): string {
  return `the database has not answered for ${Math.round((performance.now() - since) / 1000)} seconds`
}

function slow(since: number): string {
  return `the database has not finished this request within ${Math.round((performance.now() - since) / 1000)} seconds`
}
