import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, postgresVersions, startPostgres, type PostgresVersion } from '@pergola/test-servers'
import type { Lease, Store } from '../../../packages/server/src/store/store.ts'
import { startChild, type Child } from './child-process.ts'
import { fencedModel, fencedWriter } from './fenced-writer.ts'
import { openQuietly } from './open-quietly.ts'
import type { HolderLine } from './processes/lease-holder.ts'
import type { Trial, TrialResult } from './trial.ts'
import { connectWatcher, type Watcher } from './watcher.ts'

/** The holder of a lease is suspended until the lease is lost, often in the middle of a write: afterwards all its writes are rejected. */
export const stoppedHolder: Trial = {
  name: 'a stopped lease holder',
  run: async ({ quick }): Promise<TrialResult> => {
    const rounds = quick ? 5 : 20
    const results = await Promise.all(postgresVersions.map((version) => runOn(version, rounds)))
    const figures = results.map(({ version, midWrite, refused, slowestMs }) => {
      const slowest = (slowestMs / 1000).toFixed(1)
      return `${version}: ${rounds} rounds, ${midWrite} in mid-write, ${refused} refused, taken over after at most ${slowest} s`
    })
    const faults = results.flatMap(({ version, faults: found }) =>
      found.map((fault) => `PostgreSQL ${version}, ${fault}`),
    )
    return { figures: figures.join('; '), faults }
  },
}

const ttlMs = 1_000
/** Allowed time after the end of the lease; longer would leave the cluster without a leader. */
const takeOverSeconds = 10
/** Write attempts of the former holder after it is resumed. */
const lateWrites = 20
const drainSeconds = 10

interface Tally {
  /** Rounds in which it was stopped during a write. */
  midWrite: number
  refused: number
  slowestMs: number
  readonly faults: string[]
}

async function runOn(version: PostgresVersion, rounds: number): Promise<Tally & { version: PostgresVersion }> {
  await using server = await startPostgres(version)
  await using database = await createDatabase(server.url)
  await using store = await openQuietly(database.url, 'successor')
  await store.openModel(fencedModel)
  await using watcher = await connectWatcher(database.url)
  const tally: Tally = { midWrite: 0, refused: 0, slowestMs: 0, faults: [] }
  for (let round = 0; round < rounds; round++) {
    const found = await changeHolder({ url: database.url, store, watcher, round }, tally)
    tally.faults.push(...found.map((fault) => `round ${round + 1}: ${fault}`))
  }
  if (tally.midWrite === 0) tally.faults.push('no holder was stopped in the middle of a write, which proves little')
  return { version, ...tally }
}

interface RoundParts {
  readonly url: string
  readonly store: Store
  readonly watcher: Watcher
  readonly round: number
}

async function changeHolder(parts: RoundParts, tally: Tally): Promise<string[]> {
  const { url, store, watcher, round } = parts
  const [lease, former, successor] = [`lease-${round}`, `former-${round}`, `successor-${round}`]
  const faults: string[] = []
  await using holder = startChild<HolderLine>({ file: 'lease-holder.ts', args: [url, lease, former, String(ttlMs)] })
  await holder.first(({ outcome }) => outcome === 'done')
  await sleep(Math.random() * 500)
  holder.signal('SIGSTOP')
  // The statement in flight at the stop ends first.
  await sleep(30)
  if ((await watcher.openTransactions(former)).length > 0) tally.midWrite++

  const began = performance.now()
  const taking = takeOver(store, lease, successor)
  if (!(await isInTime(taking))) {
    faults.push(`${takeOverSeconds} s after its end the lease could not be taken over while its holder was stopped`)
    holder.signal('SIGCONT')
  }
  const write = fencedWriter(store, await taking, successor)
  tally.slowestMs = Math.max(tally.slowestMs, performance.now() - began)
  const insist = () => write().catch((error: Error) => faults.push(`a write of the successor failed: ${error.message}`))
  for (let count = 0; count < 3; count++) await insist()

  const wokenAt = Date.now()
  holder.signal('SIGCONT')
  const tried = await untilTried(holder, wokenAt)
  await insist()
  const lost = tried.filter(({ outcome }) => outcome === 'lost')
  tally.refused += lost.length
  if (lost.length < tried.length)
    faults.push(`of ${tried.length} writes begun after the loss only ${lost.length} were refused as FenceLost`)
  return [...faults, ...(await faultsOfSuccession(parts, holder, { former, successor }))]
}

async function isInTime(taking: Promise<Lease>): Promise<boolean> {
  const late = sleep(ttlMs + takeOverSeconds * 1000, 'late' as const, { ref: false })
  return (await Promise.race([taking, late])) !== 'late'
}

/** Checks of the log at the end. */
async function faultsOfSuccession(
  { watcher }: RoundParts,
  holder: Child<HolderLine>,
  names: { readonly former: string; readonly successor: string },
): Promise<readonly string[]> {
  holder.signal('SIGKILL')
  await holder.closed
  await watcher.untilGone(names.former)
  if (!(await watcher.untilDrained(drainSeconds))) return ['the log did not get in order']
  const done = holder.lines.filter(({ outcome }) => outcome === 'done').length
  return watcher.find(successionChecks({ ...names, done }))
}

function successionChecks({ former, successor, done }: { former: string; successor: string; done: number }) {
  const signedBy = (name: string) =>
    `SELECT o.revision, c.name FROM change_order o JOIN changes c USING (id) WHERE convert_from(c.data, 'UTF8') = '${name}'`
  return [
    {
      says: 'the former holder has written behind its successor',
      sql: `SELECT * FROM (${signedBy(former)}) f WHERE revision > (SELECT min(revision) FROM (${signedBy(successor)}) s)`,
    },
    {
      says: 'the log has fewer writes of the former holder than were acknowledged',
      sql: `SELECT count(*) AS logged, ${done} AS acknowledged FROM (${signedBy(former)}) f HAVING count(*) < ${done}`,
    },
  ]
}

async function takeOver(store: Store, lease: string, holder: string): Promise<Lease> {
  for (;;) {
    const taken = await store.acquireLease(lease, { holder, ttlMs: 60_000 })
    if (taken) return taken
    await sleep(20)
  }
}

/** Its reports on writes that it began after it was resumed. */
async function untilTried(holder: Child<HolderLine>, wokenAt: number): Promise<readonly HolderLine[]> {
  for (;;) {
    const tried = holder.lines.filter(({ began }) => began > wokenAt)
    if (tried.length >= lateWrites) return tried
    if (holder.ended()) throw new Error('the former holder ended by itself')
    await sleep(10)
  }
}
