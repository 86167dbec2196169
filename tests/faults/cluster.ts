import { parseArgs } from 'node:util'
import { createRandom } from '../fuzz/random.ts'
import { diskFull } from './cluster/disk-full.ts'
import { failOvers } from './cluster/fail-over.ts'
import type { Fault } from './cluster/fault.ts'
import { startInstallation, variants, type Installation, type Variant } from './cluster/installation.ts'
import { processFaults } from './cluster/process-faults.ts'
import { restore } from './cluster/restore.ts'
import { figuresOf, tableOf, type ClusterFigures } from './cluster/results.ts'
import { runRound, type RoundResult } from './cluster/round.ts'
import { keepHistory } from './watch/keep-history.ts'
import { addResult, readResults, violationsIn } from './watch/results.ts'

/**
 * Injects faults into a whole installation: replicas, their connections, the database and its pooler. Measures how soon
 * everything works again, and checks that no write is lost and every watch is correct. Rounds accumulate over runs in
 * `--results=<file>`; `--only=<fault,…>` and `--variant=<name>` choose.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    results: { type: 'string' },
    only: { type: 'string' },
    variant: { type: 'string' },
  },
})
const known: readonly Fault[] = [...processFaults, diskFull, ...failOvers, restore]
const only = values.only?.split(',')
const unknown = only?.filter((name) => !known.some((fault) => fault.name === name)) ?? []
if (unknown.length > 0)
  throw new Error(`--only knows ${known.map(({ name }) => name).join(', ')}; not ${unknown.join(', ')}`)
const faults = known.filter(({ name, onlyNamed = false }) => only?.includes(name) ?? !onlyNamed)
const given = variants.find((name) => name === values.variant)
if (values.variant !== undefined && !given) throw new Error(`--variant is one of ${variants.join(', ')}`)
const resultsFile = values.results ?? '.results/faults-cluster.jsonl'
const seed = Number(values.seed ?? Date.now() % 1_000_000_000)
const random = createRandom(seed)
const runMs = Number(values.seconds ?? 900) * 1000
const roundsOfInstallation = 4
const shownFaults = 5
const began = performance.now()
const roundsOfRun: ClusterFigures[] = []
let brokenOff = 0
const quickRounds: readonly (readonly string[])[] = [
  ['replica killed', 'replica stopped', 'fail-over'],
  ['lost tail unseen'],
]

console.log(`seed ${seed}`)
if (values.quick) await passQuickly()
else await passForLong()
process.exit(report() ? 0 : 1)

async function passQuickly(): Promise<void> {
  await using installation = await startInstallation(given ?? 'plain')
  for (const names of quickRounds) {
    const chosen = faults.filter(({ name }) => names.includes(name))
    if (chosen.length > 0) await passRound(installation, chosen)
  }
}

/** Runs some rounds on each installation, then starts one of another variant. */
async function passForLong(): Promise<void> {
  const isTime = () => performance.now() - began > runMs
  for (let number = random.whole(0, variants.length - 1); !isTime(); number++) {
    await using installation = await startInstallation(given ?? (variants[number % variants.length] as Variant))
    console.log(`an installation, ${installation.variant}`)
    for (const { name, needs, isPossible } of faults)
      if (needs !== undefined && !isPossible(installation))
        console.log(`  not possible here: ${name}, without ${needs}`)
    for (let round = 0; round === 0 || (round < roundsOfInstallation && !isTime()); round++)
      if (!(await passRound(installation, drawnFor(installation)))) break
  }
}

/** Draws faults in random order; at most one of them forks the history. */
function drawnFor(installation: Installation): readonly Fault[] {
  const possible = faults.filter(({ isPossible }) => isPossible(installation))
  const [forking, others] = [possible.filter(({ forks }) => forks), possible.filter(({ forks }) => !forks)]
  const drawn = others.length > 0 ? Array.from({ length: random.whole(1, 3) }, () => random.pick(others)) : []
  if (forking.length > 0) drawn.splice(random.whole(0, drawn.length), 0, random.pick(forking))
  return drawn
}

/** Returns whether the installation is still usable. */
async function passRound(installation: Installation, drawn: readonly Fault[]): Promise<boolean> {
  const { variant } = installation
  const roundSeed = random.seed()
  const result = await runRound({ installation, faults: drawn, seed: roundSeed }).catch((error: unknown) => {
    console.log(`${drawn.map(({ name }) => name).join(', ')}: broken off`, error)
    brokenOff++
  })
  if (!result) return false
  const figures = figuresOf(result, { seed: roundSeed, variant })
  roundsOfRun.push(figures)
  addResult(resultsFile, figures)
  tell(result, figures)
  return true
}

function tell({ verdict, lineages, fork, entries }: RoundResult, figures: ClusterFigures): void {
  const passed =
    brokenOff === 0 &&
    figures.faults.map(({ name, recoveryMs }) => `${name} ${(recoveryMs / 1000).toFixed(2)} s`).join(', ')
  const { changes, lostWrites, bereft, refused410 } = figures
  const loss = fork
    ? `; ${lostWrites} writes lost, ${bereft} readers bereft, ${refused410} came back and were told`
    : ''
  console.log(`${passed}: ${changes} changes${loss}; ${violationsIn(figures)} violations`)
  if (violationsIn(figures) > 0) {
    const log = [...(fork?.lost ?? []), ...entries]
    console.log(`  kept in ${keepHistory(`faults-cluster/round-${figures.seed}`, { log, lineages })}`)
  }
  for (const [name, found] of verdict.violations) {
    if (found.length > 0) console.log(`  ${name}: ${found.length}`)
    for (const fault of found.slice(0, shownFaults)) console.log(`    ${fault}`)
  }
}

/** Returns whether the run passed. */
function report(): boolean {
  const all = readResults(resultsFile) as readonly ClusterFigures[]
  if (all.length > roundsOfRun.length) console.log(`with the runs before:\n${tableOf(all)}`)
  const table = tableOf(roundsOfRun).split('\n')
  console.log(table.slice(0, -1).join('\n'))
  const wanted = values.quick ? quickRounds.flat().filter((name) => faults.some((one) => one.name === name)) : []
  const happened = new Set(roundsOfRun.flatMap((round) => round.faults.map(({ name }) => name)))
  const missing = wanted.filter((name) => !happened.has(name))
  if (missing.length > 0) console.log(`not covered: these never happened: ${missing.join(', ')}`)
  const passed =
    brokenOff === 0 &&
    missing.length === 0 &&
    roundsOfRun.length > 0 &&
    roundsOfRun.every((round) => violationsIn(round) === 0)
  console.log(
    `${table.at(-1)}${brokenOff > 0 ? `, ${brokenOff} rounds broken off` : ''}: ${passed ? 'passed' : 'FAILED'}`,
  )
  return passed
}
