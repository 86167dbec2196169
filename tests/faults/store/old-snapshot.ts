import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { Client } from 'pg'
import { quantile } from '../../../bench/measure/statistics.ts'
import { openQuietly } from './open-quietly.ts'
import { pacedModel, startPacedLoad, type PacedLoad } from './paced-load.ts'
import type { Trial, TrialResult } from './trial.ts'

const offeredPerSecond = 1_000
/** Limit of the ratio of p99 with the snapshot to p99 before. */
const allowedRatio = 2

/** A transaction stays open: sequencing must not become slower and slower meanwhile. */
export const oldSnapshot: Trial = {
  name: 'an old snapshot',
  run: async ({ quick }): Promise<TrialResult> => {
    const seconds = quick ? { warmUp: 5, judged: 10, held: 40 } : { warmUp: 20, judged: 60, held: 600 }
    await using server = await startPostgres('18', { durable: true })
    await using database = await createDatabase(server.url)
    await using store = await openQuietly(database.url)
    await store.openModel(pacedModel)
    await using load = await startPacedLoad(store, offeredPerSecond)
    await sleep(seconds.warmUp * 1000)
    const before = await measure(load, seconds.judged)
    await using snapshot = await holdSnapshot(database.url)
    await sleep((seconds.held - seconds.judged) * 1000)
    const held = await measure(load, seconds.judged)
    const figures = `p50 and p99 ${words(before)} before, ${words(held)} with ${await snapshot.age()} transactions behind`
    return { figures, faults: [], slow: slownessOf(before, held) }
  },
}

interface Latencies {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

async function measure(load: PacedLoad, seconds: number): Promise<Latencies> {
  load.takeLatencies()
  await sleep(seconds * 1_000)
  const sorted = load.takeLatencies().toSorted((a, b) => a - b)
  return { perSecond: sorted.length / seconds, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) }
}

function slownessOf(before: Latencies, held: Latencies): string[] {
  const faults: string[] = []
  for (const { perSecond } of [before, held]) {
    if (perSecond < 0.95 * offeredPerSecond)
      faults.push(`only ${perSecond.toFixed(0)} of ${offeredPerSecond} writes/s came through`)
  }
  const ratio = held.p99 / before.p99
  if (!(ratio <= allowedRatio)) faults.push(`p99 is ${ratio.toFixed(1)} times what it was; ${allowedRatio} is allowed`)
  return faults
}

function words({ p50, p99 }: Latencies): string {
  return `${p50.toFixed(1)} and ${p99.toFixed(1)} ms`
}

interface Snapshot extends AsyncDisposable {
  /** Number of transactions since then. */
  age(): Promise<number>
}

async function holdSnapshot(url: string): Promise<Snapshot> {
  const client = new Client({ connectionString: url, application_name: 'forgotten' })
  await client.connect()
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await client.query('SELECT 1 FROM m_1 LIMIT 1')
  return {
    age: async () => {
      const sql = 'SELECT age(backend_xmin) AS age FROM pg_stat_activity WHERE pid = pg_backend_pid()'
      return (await client.query<{ age: number }>(sql)).rows[0]?.age ?? 0
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}
