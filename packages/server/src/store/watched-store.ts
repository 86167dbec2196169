import { counter, histogram } from '../base/metrics.ts'
import { traced } from '../base/tracing.ts'
import { Outage, type DatabaseHealth } from './database-health.ts'
import { sql } from './sql.ts'
import type { Store, WriteResult } from './store.ts'

const spanOf = { 'db.system.name': 'pergola' }

export interface WatchedOptions {
  readonly health: DatabaseHealth
  /** Time limit for an answer of the database. */
  readonly limitMs: number
  /** Counts and times every operation, at some cost. */
  readonly measured: boolean
}

type Run = <Result>(work: () => Promise<Result>, isWritten?: (result: Result) => boolean) => Promise<Result>

/** The only place that turns a database failure into an answer: 503 with `Retry-After`. */
export function watchedStore(store: Store, { health, limitMs, measured }: WatchedOptions): Store {
  const measure = measured ? createMeasure() : undefined
  const limited = (operation: string, mostMs: number): Run => {
    const run: Run = (work, isWritten) => traced(operation, spanOf, () => health.run(mostMs, work, isWritten))
    return measure ? (work, isWritten) => measure(operation, () => run(work, isWritten)) : run
  }
  const run = (operation: string) => limited(operation, limitMs)
  const [ping, statement, get, list, write] = [run('ping'), run('sql'), run('get'), run('list'), run('write')]
  const [head, lease, build] = [run('head'), run('lease'), run('index')]
  // No limit: their duration depends on the amount of data, and they limit their own statements.
  const long = limited('maintain', Number.POSITIVE_INFINITY)
  const { packedLog } = store
  const readLog = (waitMs: number) => limited('readChanges', limitMs + waitMs)
  return {
    // Every member is named, so that one added to `Store` cannot bypass the limit.
    description: store.description,
    details: () => store.details(),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    schemaNumber: () => ping(() => store.schemaNumber()),
    ping: () => ping(() => store.ping()),
    openModel: (declaration) => long(() => store.openModel(declaration)),
    closeModel: (model) => long(() => store.closeModel(model)),
    buildIndexes: (model, options) => long(() => store.buildIndexes(model, options)),
    indexBuild: (model) => build(() => store.indexBuild(model)),
    write: (operations, options) =>
      write(() => store.write(operations, options), options?.dryRun ? undefined : isStored),
    [sql]: (given) => statement(() => store[sql](given)),
    get: (model, name) => get(() => store.get(model, name)),
    getMany: (model, names, maxBytes) => get(() => store.getMany(model, names, maxBytes)),
    countValues: (model, wanted) => list(() => store.countValues(model, wanted)),
    countDangling: (model, index) => long(() => store.countDangling(model, index)),
    list: (model, query) => list(() => store.list(model, query)),
    head: () => head(() => store.head()),
    readChanges: (after, options) => readLog(options.waitMs)(() => store.readChanges(after, options)),
    ...(packedLog && {
      packedLog: {
        unpack: (about, data) => packedLog.unpack(about, data),
        read: (after, options) => readLog(options.waitMs)(() => packedLog.read(after, options)),
      },
    }),
    compact: (retention) => long(() => store.compact(retention)),
    acquireLease: (name, options) => lease(() => store.acquireLease(name, options)),
    releaseLease: (held) => lease(() => store.releaseLease(held)),
    heldLeases: (prefix) => lease(() => store.heldLeases(prefix)),
  }
}

function isStored(results: readonly WriteResult[]): boolean {
  return results.some(({ outcome }) => outcome !== 'unchanged')
}

function createMeasure(): <Result>(operation: string, work: () => Promise<Result>) => Promise<Result> {
  const time = histogram('pergola_store_seconds')
  const fail = counter('pergola_store_failures')
  const known = new Set<string>()
  return async (operation, work) => {
    if (!known.has(operation)) fail(0, { operation })
    known.add(operation)
    const startedAt = performance.now()
    try {
      return await work()
    } catch (error) {
      if (error instanceof Outage) fail(1, { operation })
      throw error
    } finally {
      time((performance.now() - startedAt) / 1000, { operation })
    }
  }
}
