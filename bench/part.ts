import { recordUnits, type UnitName } from './scale/units.ts'

/** Measures one thing and prints its table. */
export type Part = (options: { readonly quick: boolean }) => Promise<PartOutcome>

interface PartOutcome {
  /** Short results. */
  readonly figure: string
  /** Limits that are not met. */
  readonly short: readonly string[]
  /** Unit costs by name for the scale computation; `--record` saves them. */
  readonly measured?: Readonly<Partial<Record<UnitName, number>>>
}

/** Runs the parts in order, or those of `--only=<name>,<name>`; prints a summary as the last line. */
export async function runParts(what: string, parts: Readonly<Record<string, Part>>): Promise<void> {
  const quick = process.argv.includes('--quick')
  const only = process.argv
    .find((word) => word.startsWith('--only='))
    ?.slice('--only='.length)
    .split(',')
  const figures: string[] = []
  const short: string[] = []
  for (const [name, part] of Object.entries(parts)) {
    if (only && !only.includes(name)) continue
    const outcome = await part({ quick })
    figures.push(outcome.figure)
    if (outcome.measured && process.argv.includes('--record')) {
      recordUnits(outcome.measured, `npm run bench -- ${what} --only=${name}${otherWords()}`)
    }
    short.push(...outcome.short)
  }
  const verdict = short.length === 0 ? 'all limits are met' : `${short.length} limits are not met: ${short.join('; ')}`
  console.log(`\n${what}: ${[...figures, verdict].join('; ')}`)
  process.exitCode = short.length === 0 ? 0 : 1
}

/** Other options that the results depend on. */
function otherWords(): string {
  return ['--transport=nats', '--quick'].map((word) => (process.argv.includes(word) ? ` ${word}` : '')).join('')
}
