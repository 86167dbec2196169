import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runCommand } from '../run-command.ts'
import { authorizationFaults } from './authorization-faults.ts'
import { gateFaults } from './gate-faults.ts'
import { copyForPlanting } from './planted-copy.ts'
import type { Edit, PlantedFault } from './planted-fault.ts'

/** Each fault in turn is planted in a copy of this tree, and its check must turn red. Answers whether all did. */
export async function plantInGates(): Promise<boolean> {
  using copy = copyForPlanting()
  const faults = [...gateFaults, ...authorizationFaults]
  const noticed = (await allPassUntouched(copy.path, faults)) ? await plantEach(copy.path, faults) : 0
  console.log(`${noticed} of ${faults.length} planted faults noticed`)
  return noticed === faults.length
}

async function allPassUntouched(cwd: string, faults: readonly PlantedFault[]): Promise<boolean> {
  let allPassed = true
  for (const command of new Set(faults.map((fault) => fault.command))) {
    const { passed, output } = await runCommand(command, { cwd })
    if (passed) continue
    allPassed = false
    console.log(`"${command}" fails before anything is planted:\n${output}`)
  }
  return allPassed
}

/** Answers how many were noticed. */
async function plantEach(cwd: string, faults: readonly PlantedFault[]): Promise<number> {
  let count = 0
  for (const fault of faults) {
    const undo = fault.edits.map((edit) => apply(cwd, edit))
    const { passed, output, seconds } = await runCommand(fault.command, { cwd })
    for (const restore of undo) restore()
    const red = !passed && fault.expect.test(output)
    console.log(`${red ? 'red as it must be' : 'NOT NOTICED      '} ${seconds.toFixed(1)} s  ${fault.name}`)
    if (red) count++
    else console.log(output.replaceAll(/^/gm, '    '))
  }
  return count
}

function apply(cwd: string, edit: Edit): () => void {
  const file = join(cwd, edit.file)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, edited(before ?? '', edit))
  return () => (before === undefined ? rmSync(file) : writeFileSync(file, before))
}

function edited(text: string, edit: Edit): string {
  if ('add' in edit) return `${text}${edit.add}\n`
  if (!text.includes(edit.replace)) throw new Error(`${edit.file} no longer holds "${edit.replace}"`)
  return text.replace(edit.replace, edit.by)
}
