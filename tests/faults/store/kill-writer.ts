import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { startChild } from './child-process.ts'
import { judge } from './judge.ts'
import { named, openQuietly } from './open-quietly.ts'
import type { WriterLine } from './processes/writer.ts'
import type { Trial, TrialResult } from './trial.ts'
import { connectWatcher } from './watcher.ts'
import type { WriteLog } from './write-log.ts'

/** A writer process is killed midway: acknowledged writes are stored, all checks pass, and pending changes get sequenced. */
export const killWriter: Trial = {
  name: 'kill the writer',
  run: async ({ quick }): Promise<TrialResult> => {
    const rounds = quick ? 3 : 20
    await using server = await startPostgres('18', { durable: true })
    await using database = await createDatabase(server.url)
    await using watcher = await connectWatcher(database.url)
    const faults: string[] = []
    const log: WriteLog = { acknowledged: [], refused: [] }
    let left = 0
    for (let round = 0; round < rounds; round++) {
      await writeUntilKilled(database.url, `writer-${round}`, log)
      await watcher.untilGone(`writer-${round}`)
      left += await watcher.pendingChanges()
      // An open store sequences the pending changes.
      await using _store = await openQuietly(database.url)
      faults.push(...(await judge(database.url, { watcher, log })).map((fault) => `round ${round + 1}: ${fault}`))
    }
    if (log.acknowledged.length < rounds * leastWrites)
      faults.push('too few writes were acknowledged to prove anything')
    return {
      figures: `${rounds} rounds, ${log.acknowledged.length} acknowledged, ${left} left to put in order`,
      faults,
    }
  },
}

const leastWrites = 100

/** Kills it one to three seconds after its first acknowledged write. */
async function writeUntilKilled(url: string, name: string, log: WriteLog): Promise<void> {
  await using child = startChild<WriterLine>({ file: 'writer.ts', args: [named(url, name), name] })
  await child.first((line) => 'acknowledged' in line)
  await sleep(1_000 + Math.random() * 2_000)
  if (child.ended()) throw new Error(`${name} ended before it was killed`)
  child.signal('SIGKILL')
  await child.closed
  for (const line of child.lines) {
    if ('refused' in line) log.refused.push(line.refused)
    else log.acknowledged.push(...line.acknowledged)
  }
}
