import { recordUnits, type UnitName } from '../scale/units.ts'
import { recordResult, type Result } from './result.ts'

/** Measures one thing and prints its table. */
export type Part = (options: { readonly quick: boolean }) => Promise<PartOutcome>

interface PartOutcome {
  /** Short results. */
  readonly figure: string
  /** Limits that are not met. */
  readonly short: readonly string[]
  /** Unit costs by name for the scale computation; `--record` saves them. */
  readonly measured?: Readonly<Partial<Record<UnitName, number>>>
  /** A table of the page on performance; `--record` saves it. */
  readonly result?: Result
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
    if (process.argv.includes('--record')) {
      const command = `npm run bench -- ${what} --only=${name}${otherWords()}`
      if (outcome.measured) recordUnits(outcome.measured, command)
      if (outcome.result) recordResult(`${what}-${name}`, outcome.result, command)
    }
    short.push(...outcome.short)
  }
  const verdict = short.length === 0 ? 'all limits are met' : `${short.length} limits are not met: ${short.join('; ')}`
  console.log(`\n${what}: ${[...figures, verdict].join('; ')}`)
  process.exitCode = short.length === 0 ? 0 : 1
}

/** Other options that the results depend on. */
function otherWords(): string {
  const given = process.argv.filter((word) => /^--((peers|most)=.+|transport=nats|quick)$/.test(word))
  return given.map((word) => ` ${word}`).join('')
}
