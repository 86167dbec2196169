import { parseArgs } from 'node:util'
import { checkStore } from './store/checker.ts'
import { startCluster, type Cluster } from './watch/cluster.ts'
import {
  addResult,
  figuresOf,
  readResults,
  summaryOf,
  unproven,
  violationsIn,
  type RoundFigures,
} from './watch/results.ts'
import { keepHistory } from './watch/keep-history.ts'
import { transports } from './watch/nats-part.ts'
import { runRound } from './watch/round.ts'

/**
 * Checks that every watch gets every change once and in order during faults of replicas, connections and the database.
 * Clients record all requests and responses; validators compare them with the log of the database. Results accumulate
 * over runs in `--results=<file>`. A round lasts for some seconds, or until `--changes=<number>` are written. `--transport=nats` uses three NATS servers, which fail too, and
 * `--transport=mixed` uses NATS for some of the replicas.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    changes: { type: 'string' },
    seed: { type: 'string' },
    calm: { type: 'boolean', default: false },
    transport: { type: 'string', default: 'postgres' },
    results: { type: 'string' },
  },
})
const transport = transports.find((name) => name === values.transport)
if (!transport) throw new Error(`--transport is one of ${transports.join(', ')}; not ${values.transport}`)
const resultsFile = values.results ?? `.results/faults-watch${transport === 'postgres' ? '' : `-${transport}`}.jsonl`
const rounds = Number(values.rounds ?? (values.quick ? 5 : 100))
const seconds = Number(values.seconds ?? 20)
const seed = Number(values.seed ?? Date.now() % 1_000_000_000)
const shownFaults = 5
const roundsOfCluster = 10
const moreRounds = 6
const roundsOfRun: RoundFigures[] = []
let cluster: Cluster | undefined
let disagreements = 0
try {
  console.log(`seed ${seed}`)
  console.log(row(['round', 'changes', 'streams', 'resumed', 'frames', '410', 'trouble', 'violations']))
  for (let number = 1; number <= rounds || isThin(number); number++) await passRound(number)
  disagreements += await leave(cluster)
} finally {
  await cluster?.[Symbol.asyncDispose]()
}
// Exits even if handles are still open.
process.exit(report() ? 0 : 1)

/** Adds rounds on a slow machine until every required event has happened. */
function isThin(number: number): boolean {
  return !values.calm && number <= rounds + moreRounds && unproven(roundsOfRun).length > 0
}

/** Runs some rounds on a cluster and then checks its database as the store trials do. */
async function passRound(number: number): Promise<void> {
  if (number % roundsOfCluster === 1) {
    disagreements += await leave(cluster)
    cluster = undefined
  }
  cluster ??= await startCluster(transport)
  const bound = values.changes === undefined ? {} : { changes: Number(values.changes) }
  const options = { number, seed: seed + number * 10, seconds, ...bound, calm: values.calm }
  const result = await runRound({ cluster, ...options, ...happening(number) })
  const figures = figuresOf(result, options.seed)
  roundsOfRun.push(figures)
  addResult(resultsFile, figures)
  const troubles = Object.values(figures.troubles).reduce((sum, count) => sum + count, 0)
  const { changes, streams, resumed, frames, expired } = figures
  console.log(row([number, changes, streams, resumed, frames, expired, troubles, violationsIn(figures)]))
  if (violationsIn(figures) > 0) {
    const { lineages } = result
    console.log(
      `  kept in ${keepHistory(`faults-watch/round-${options.seed}`, { log: cluster.log.entries, lineages })}`,
    )
  }
  for (const [name, faults] of result.violations) {
    if (faults.length > 0) console.log(`  ${name}: ${faults.length}`)
    for (const fault of faults.slice(0, shownFaults)) console.log(`    ${fault}`)
  }
}

/** Options of a round, which vary. */
function happening(number: number) {
  return { forgets: number % 2 === 1, killsDatabase: number % 2 === 0, floods: number % 3 === 0 }
}

/** Returns the number of inconsistencies in its database. */
async function leave(left: Cluster | undefined): Promise<number> {
  if (!left) return 0
  const faults = await checkStore(left.databaseUrl)
  for (const fault of faults) console.log(`  the database: ${fault}`)
  await left[Symbol.asyncDispose]()
  return faults.length
}

/** Returns whether the run passed. */
function report(): boolean {
  const all = readResults(resultsFile) as readonly RoundFigures[]
  if (all.length > roundsOfRun.length) console.log(`with the runs before:\n${summaryOf(all)}`)
  console.log(summaryOf(roundsOfRun).replace(/\n[^\n]*$/, ''))
  const missing = values.calm ? [] : unproven(roundsOfRun)
  if (missing.length > 0) console.log(`not covered: these never happened: ${missing.join(', ')}`)
  const violations = roundsOfRun.reduce((sum, round) => sum + violationsIn(round), disagreements)
  const passed = violations === 0 && missing.length === 0
  console.log(`${summaryOf(roundsOfRun).split('\n').at(-1)}: ${passed ? 'passed' : 'FAILED'}`)
  return passed
}

function row(cells: readonly (string | number)[]): string {
  return cells.map((cell) => String(cell).padStart(11)).join('')
}
