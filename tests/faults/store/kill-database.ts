import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, startPostgres, type PostgresServer } from '@pergola/test-servers'
import type { Store } from '../../../packages/server/src/store/store.ts'
import { judge } from './judge.ts'
import { loadModels, runLoad } from './load.ts'
import { openQuietly } from './open-quietly.ts'
import type { Trial, TrialResult } from './trial.ts'
import { connectWatcher } from './watcher.ts'
import type { WriteLog } from './write-log.ts'

/** One store survives many crashes of its database: it recovers by itself, and no acknowledged write is lost. */
export const killDatabase: Trial = {
  name: 'kill the database',
  run: async ({ quick }): Promise<TrialResult> => {
    const rounds = quick ? 3 : 20
    await using server = await startPostgres('18', { durable: true })
    await using database = await createDatabase(server.url)
    await using store = await openQuietly(database.url)
    for (const model of loadModels) await store.openModel(model)
    const told: Told = { acknowledged: [], refused: [], failed: 0, resumedAfterMs: [] }
    const faults: string[] = []
    for (let round = 0; round < rounds; round++) {
      const found = await writeAcrossCrash(server, store, { told, prefix: `round-${round}` })
      await using watcher = await connectWatcher(database.url)
      found.push(...(await judge(database.url, { watcher, log: told })))
      faults.push(...found.map((fault) => `round ${round + 1}: ${fault}`))
    }
    const slowest = Math.max(...told.resumedAfterMs)
    const figures = `${rounds} rounds, ${told.acknowledged.length} acknowledged, ${told.failed} failed, writing again after at most ${slowest.toFixed(0)} ms`
    return { figures, faults }
  },
}

interface Told extends WriteLog {
  /** Writes and reads that ended in an error; the outcome of such a write is unknown. */
  failed: number
  /** From the moment the database answers again to the first acknowledged write. */
  readonly resumedAfterMs: number[]
}

/** The pool waits at most 5 s for a connection; twice that is enough to reconnect. */
const resumeSeconds = 10

interface CrashOptions {
  readonly told: Told
  readonly prefix: string
}

/** Load before and during the crash, and until one second after the first write. */
async function writeAcrossCrash(
  server: PostgresServer,
  store: Store,
  { told, prefix }: CrashOptions,
): Promise<string[]> {
  let stopped = false
  const load = runLoad(store, {
    prefix,
    stopped: () => stopped,
    onAcknowledged: (writes) => told.acknowledged.push(...writes),
    onRefused: (mark) => told.refused.push(mark),
    onFailed: () => told.failed++,
  })
  await sleep(1_000 + Math.random() * 2_000)
  const failedBefore = told.failed
  await server.kill()
  await server.restart()
  const resumed = await untilAcknowledged(told)
  await sleep(1_000)
  stopped = true
  await load
  if (!resumed) return [`no write was acknowledged in the ${resumeSeconds} s after the restart`]
  return told.failed === failedBefore ? ['nobody noticed the crash, which proves nothing'] : []
}

async function untilAcknowledged(told: Told): Promise<boolean> {
  const before = told.acknowledged.length
  const began = performance.now()
  while (told.acknowledged.length === before) {
    if (performance.now() - began > resumeSeconds * 1000) return false
    await sleep(5)
  }
  told.resumedAfterMs.push(performance.now() - began)
  return true
}
