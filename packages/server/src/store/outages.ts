import { ApiError } from '@pergola/api'
import type { Log } from '../base/log.ts'
import { counter, histogram } from '../base/metrics.ts'
import { databaseFault } from './database-fault.ts'
import type { Store } from './store.ts'

const sweepMs = 500
/** Every replica reads the change log at least once a second: without an answer for this long, the database is away. */
const silentMs = 5_000
const retryAfter = { 'retry-after': '2' }

export interface OutageOptions {
  readonly log: Pick<Log, 'info' | 'error'>
  /** Counts and times every operation; that is not free. */
  readonly measured?: boolean
  /** A statement that takes longer is given up. */
  readonly deadlineMs: number
}

/** What is known of the database, without asking it. */
export interface DatabaseHealth {
  /** Why requests are not served now; undefined while the database answers. */
  trouble(): string | undefined
  /** A connection broke while nobody used it: one question tells whether more is wrong. */
  connectionLost(): void
}

interface Running {
  readonly startedAt: number
  readonly until: number
  readonly giveUp: (error: Error) => void
}

type Operation = (...given: never[]) => Promise<unknown>

/**
 * The one place where a failure of the database becomes an answer: 503 with `Retry-After`. An outage is one line in the log when
 * it begins and one when it ends; what fails in between says `isOutage`, and nobody writes it down again.
 */
export function withOutages(store: Store, options: OutageOptions): { store: Store; health: DatabaseHealth } {
  const { log, deadlineMs, measured = false } = options
  const running = new Set<Running>()
  let answeredAt = performance.now()
  let outage: { readonly since: number; readonly why: string; failed: number } | undefined

  const answered = (startedAt: number) => {
    answeredAt = performance.now()
    if (!outage || startedAt < outage.since) return
    const seconds = Math.round((answeredAt - outage.since) / 100) / 10
    log.info({ seconds, failed: outage.failed }, 'the database answers again')
    outage = undefined
  }
  const failed = (why: string, cause: unknown) => {
    if (!outage) {
      outage = { since: performance.now(), why, failed: 0 }
      log.error(
        { err: cause, database: store.description },
        'the database does not answer; requests get 503 until it does',
      )
    }
    outage.failed++
    return new Outage(why, cause)
  }
  const sweep = setInterval(() => {
    const now = performance.now()
    for (const one of running) {
      if (now < one.until) continue
      running.delete(one)
      const why = `the database has not answered for ${Math.round((now - one.startedAt) / 1000)} seconds`
      // Others were answered meanwhile: it is this statement that is slow.
      one.giveUp(answeredAt > one.startedAt ? new Outage(why) : failed(why, undefined))
    }
  }, sweepMs)
  sweep.unref()

  const watched = <Call extends Operation>(
    name: string,
    call: Call,
    extraMs: (...given: Parameters<Call>) => number,
  ) => {
    const measure = measured ? measureOperation(name) : undefined
    return ((...given: Parameters<Call>) =>
      new Promise((resolve, reject) => {
        const startedAt = performance.now()
        const one: Running = { startedAt, until: startedAt + deadlineMs + extraMs(...given), giveUp: reject }
        running.add(one)
        call(...given).then(
          (result) => {
            running.delete(one)
            answered(startedAt)
            measure?.(startedAt)
            resolve(result)
          },
          (error: unknown) => {
            running.delete(one)
            const why = databaseFault(error)
            // A refusal is an answer, too.
            if (why === undefined) answered(startedAt)
            measure?.(startedAt, why !== undefined)
            reject(why === undefined ? (error as Error) : failed(why, error))
          },
        )
      })) as Call
  }
  const none = () => 0
  const endless = () => Number.POSITIVE_INFINITY
  const { packedLog } = store
  const ping = watched('ping', store.ping, none)
  return {
    health: {
      trouble: () => {
        if (outage) return outage.why
        const silent = performance.now() - answeredAt
        return silent < silentMs ? undefined : `the database has not answered for ${Math.round(silent / 1000)} seconds`
      },
      connectionLost: () => void ping().catch(() => {}),
    },
    store: {
      ...store,
      ping,
      openModel: watched('openModel', store.openModel, endless),
      closeModel: watched('closeModel', store.closeModel, endless),
      buildIndexes: watched('buildIndexes', store.buildIndexes, endless),
      indexBuild: watched('indexBuild', store.indexBuild, none),
      write: watched('write', store.write, none),
      sql: watched('sql', store.sql, none),
      get: watched('get', store.get, none),
      list: watched('list', store.list, none),
      head: watched('head', store.head, none),
      readChanges: watched('readChanges', store.readChanges, (_, { waitMs }) => waitMs),
      ...(packedLog && {
        packedLog: { ...packedLog, read: watched('readChanges', packedLog.read, (_, { waitMs }) => waitMs) },
      }),
      compact: watched('compact', store.compact, endless),
      acquireLease: watched('lease', store.acquireLease, none),
      releaseLease: watched('lease', store.releaseLease, none),
      heldLeases: watched('lease', store.heldLeases, none),
      [Symbol.asyncDispose]: async () => {
        clearInterval(sweep)
        await store[Symbol.asyncDispose]()
      },
    },
  }
}

class Outage extends ApiError {
  readonly isOutage = true

  constructor(why: string, cause?: unknown) {
    super('Unavailable', `${why}; try again`, { headers: retryAfter, ...(cause !== undefined && { cause }) })
  }
}

function measureOperation(operation: string): (startedAt: number, hasFailed?: boolean) => void {
  const time = histogram('pergola_store_seconds')
  const fail = counter('pergola_store_failures')
  const labels = { operation }
  return (startedAt, hasFailed = false) => {
    if (hasFailed) fail(1, labels)
    else time((performance.now() - startedAt) / 1000, labels)
  }
}
