import { recordUnits, type UnitName } from './scale/units.ts'

/** Measures one thing and prints its table. */
export type Part = (options: { readonly quick: boolean }) => Promise<PartOutcome>

interface PartOutcome {
  /** What was found, in a few words. */
  readonly figure: string
  /** The bars that are not met. */
  readonly short: readonly string[]
  /** Unit costs, by name, for the paper that computes with them: `--record` keeps them. */
  readonly measured?: Readonly<Partial<Record<UnitName, number>>>
}

/** One after the other, or those that `--only=<name>,<name>` names; ends with a line that says it all. */
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
  const verdict = short.length === 0 ? 'every bar is met' : `${short.length} bars are short: ${short.join('; ')}`
  console.log(`\n${what}: ${[...figures, verdict].join('; ')}`)
  process.exitCode = short.length === 0 ? 0 : 1
}

/** What else the command was given that its figures depend on. */
function otherWords(): string {
  return ['--transport=nats', '--quick'].map((word) => (process.argv.includes(word) ? ` ${word}` : '')).join('')
}
