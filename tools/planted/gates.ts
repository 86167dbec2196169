import { parseArgs } from 'node:util'
import { runCommand } from '../run-command.ts'
import { sampleOf } from '../sample.ts'
import { applyEdit } from './apply-edit.ts'
import { authorizationFaults } from './authorization-faults.ts'
import { documentationFaults } from './documentation-faults.ts'
import { gateFaults } from './gate-faults.ts'
import { packageFaults } from './package-faults.ts'
import { copyForPlanting } from './planted-copy.ts'
import type { PlantedFault } from './planted-fault.ts'
import { scaffoldFaults } from './scaffold-faults.ts'
import { sdkFaults } from './sdk-faults.ts'
import { trustFaults } from './trust-faults.ts'

export const plantedInGates: readonly PlantedFault[] = [
  ...gateFaults,
  ...authorizationFaults,
  ...packageFaults,
  ...sdkFaults,
  ...scaffoldFaults,
  ...documentationFaults,
  ...trustFaults,
]

/** Number of parallel copies. */
const lanes = 2

/**
 * Plants each fault in a copy of this tree, two at a time; its check must fail. `--only=layers` selects faults that
 * have the word in their name, their command or a file; `--sample=12` takes a few by the current commit. Returns whether all failed.
 */
export async function plantInGates(words: readonly string[]): Promise<boolean> {
  const options = { only: { type: 'string' }, sample: { type: 'string' } } as const
  const { only = '', sample } = parseArgs({ args: [...words], options }).values
  using stack = new DisposableStack()
  const copies = Array.from({ length: lanes }, () => stack.use(copyForPlanting()).path)
  const named = plantedInGates.filter(({ name, command, edits }) =>
    [name, command, ...edits.map(({ file }) => file)].some((text) => text.includes(only)),
  )
  const faults = sample === undefined ? named : sampleOf(named, sample)
  if (faults.length === 0) throw new Error(`no fault has "${only}" in its name, its command or a file`)
  const red = await redUntouched(copies, faults)
  const noticed = await plantEach(
    copies,
    faults.filter(({ command }) => !red.has(command)),
  )
  console.log(`${noticed} of ${faults.length} planted faults noticed`)
  return noticed === faults.length
}

/** The checks that fail twice without a fault: with one, they would prove nothing. */
async function redUntouched(copies: readonly string[], faults: readonly PlantedFault[]): Promise<ReadonlySet<string>> {
  const red = new Set<string>()
  await spread(copies, [...new Set(faults.map(({ command }) => command))], async (cwd, command) => {
    if ((await runCommand(command, { cwd })).passed) return
    const { passed, output } = await runCommand(command, { cwd })
    if (passed) return
    red.add(command)
    console.log(`"${command}" fails without a fault:\n${output}`)
  })
  return red
}

/** Returns the number of detected faults. */
async function plantEach(copies: readonly string[], faults: readonly PlantedFault[]): Promise<number> {
  let count = 0
  await spread(copies, faults, async (cwd, fault) => {
    const undo = fault.edits.map((edit) => applyEdit(cwd, edit))
    const { passed, output, seconds } = await runCommand(fault.command, { cwd })
    // Undoes the last edit first, because two edits may be in one file.
    for (const restore of undo.toReversed()) restore()
    const red = !passed && fault.expect.test(output)
    console.log(`${red ? 'red as it must be' : 'NOT NOTICED      '} ${seconds.toFixed(1)} s  ${fault.name}`)
    if (red) count++
    else console.log(output.replaceAll(/^/gm, '    '))
  })
  return count
}

/** Runs one task at a time in each copy. */
async function spread<Thing>(
  copies: readonly string[],
  things: readonly Thing[],
  work: (copy: string, thing: Thing) => Promise<void>,
): Promise<void> {
  const waiting = [...things]
  const lane = async (copy: string) => {
    for (let thing = waiting.shift(); thing !== undefined; thing = waiting.shift()) await work(copy, thing)
  }
  await Promise.all(copies.map(lane))
}
