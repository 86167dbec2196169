import { indexBuild } from './store/index-build.ts'
import { killDatabase } from './store/kill-database.ts'
import { killWriter } from './store/kill-writer.ts'
import { oldSnapshot } from './store/old-snapshot.ts'
import { slowReader } from './store/slow-reader.ts'
import { stoppedHolder } from './store/stopped-holder.ts'
import type { Trial, TrialResult } from './store/trial.ts'

/**
 * Does the store keep its promises when processes are killed or stopped, when somebody holds an old snapshot, and when
 * somebody reads everything slowly? `--only=<trial>,<trial>` runs some of them.
 */
const trials: readonly Trial[] = [killWriter, killDatabase, stoppedHolder, indexBuild, oldSnapshot, slowReader]
const quick = process.argv.includes('--quick')
const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length)
const wanted = only?.split(',') ?? trials.map(({ name }) => name)
const unknown = wanted.filter((name) => !trials.some((trial) => trial.name === name))
if (unknown.length > 0)
  throw new Error(`the trials are ${trials.map(({ name }) => name).join(', ')}; not "${unknown.join()}"`)
const chosen = trials.filter(({ name }) => wanted.includes(name))

console.log(row('trial', 'seconds', 'result', 'figures'))
let short = 0
for (const trial of chosen) {
  const began = performance.now()
  const { figures, faults } = await attempt(trial)
  if (faults.length > 0) short++
  console.log(
    row(trial.name, ((performance.now() - began) / 1000).toFixed(0), faults.length > 0 ? 'FAILED' : 'ok', figures),
  )
  for (const fault of faults) console.log(`  ${fault}`)
}
console.log(`${chosen.length} trials: ${short === 0 ? 'passed' : `${short} FAILED`}`)
process.exitCode = short === 0 ? 0 : 1

/** A trial that could not be carried out is short too, and the others go on. */
async function attempt({ run }: Trial): Promise<TrialResult> {
  try {
    return await run({ quick })
  } catch (error) {
    return { figures: '', faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)] }
  }
}

function row(trial: string, seconds: string, result: string, figures: string): string {
  return `${trial.padEnd(28)}${seconds.padStart(8)}  ${result.padEnd(8)}${figures}`
}
