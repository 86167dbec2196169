import type { Trial, TrialResult } from './trial.ts'

/**
 * Runs trials and prints a table of their results, with the verdict as the last line. Options: `--quick`, `--only=<trial>,<trial>`.
 * Slow results are printed, and fail only with `--speed`, for an idle machine.
 */
export async function runTrials(trials: readonly Trial[]): Promise<void> {
  const quick = process.argv.includes('--quick')
  const judgesSpeed = process.argv.includes('--speed')
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
    const { figures, faults: broken, slow = [] } = await attempt(trial, quick)
    const faults = judgesSpeed ? [...broken, ...slow] : broken
    if (faults.length > 0) short++
    console.log(
      row(trial.name, ((performance.now() - began) / 1000).toFixed(0), faults.length > 0 ? 'FAILED' : 'ok', figures),
    )
    for (const fault of faults) console.log(`  ${fault}`)
    if (!judgesSpeed) for (const one of slow) console.log(`  slow: ${one}`)
  }
  console.log(`${chosen.length} trials: ${short === 0 ? 'passed' : `${short} FAILED`}`)
  process.exitCode = short === 0 ? 0 : 1
}

/** A trial that throws counts as failed, and the others continue. */
async function attempt({ run }: Trial, quick: boolean): Promise<TrialResult> {
  try {
    return await run({ quick })
  } catch (error) {
    return { figures: '', faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)] }
  }
}

function row(trial: string, seconds: string, result: string, figures: string): string {
  return `${trial.padEnd(28)}${seconds.padStart(8)}  ${result.padEnd(8)}${figures}`
}
