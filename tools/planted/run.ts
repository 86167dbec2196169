import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { copyRepository } from '../repository-copy.ts'
import { runCommand } from '../run-command.ts'
import { gateFaults } from './gate-faults.ts'
import type { Edit, PlantedFault } from './planted-fault.ts'

/** Proves that the gates can fail: each fault in turn is planted in a copy of this tree, and its check must turn red. */
using copy = copyRepository()
linkPackages(copy.path)
const noticed = (await allPassUntouched(gateFaults)) ? await plantEach(gateFaults) : 0
console.log(`${noticed} of ${gateFaults.length} planted faults noticed`)
process.exitCode = noticed === gateFaults.length ? 0 : 1

async function allPassUntouched(faults: readonly PlantedFault[]): Promise<boolean> {
  let allPassed = true
  for (const command of new Set(faults.map((fault) => fault.command))) {
    const { passed, output } = await runCommand(command, { cwd: copy.path })
    if (passed) continue
    allPassed = false
    console.log(`"${command}" fails before anything is planted:\n${output}`)
  }
  return allPassed
}

/** Answers how many were noticed. */
async function plantEach(faults: readonly PlantedFault[]): Promise<number> {
  let count = 0
  for (const fault of faults) {
    const undo = fault.edits.map(apply)
    const { passed, output, seconds } = await runCommand(fault.command, { cwd: copy.path })
    for (const restore of undo) restore()
    const red = !passed && fault.expect.test(output)
    console.log(`${red ? 'red as it must be' : 'NOT NOTICED      '} ${seconds.toFixed(1)} s  ${fault.name}`)
    if (red) count++
    else console.log(output.replaceAll(/^/gm, '    '))
  }
  return count
}

function apply(edit: Edit): () => void {
  const file = join(copy.path, edit.file)
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

/** Installed packages are linked; our own among them point into the copy, so that a fault in one is seen by the others. */
function linkPackages(target: string): void {
  const installed = 'node_modules'
  mkdirSync(join(target, installed, '@pergola'), { recursive: true })
  for (const name of readdirSync(installed)) {
    if (name !== '@pergola' && name !== '.cache') symlinkSync(resolve(installed, name), join(target, installed, name))
  }
  for (const name of readdirSync(join(installed, '@pergola'))) {
    const folder = relative('.', realpathSync(join(installed, '@pergola', name)))
    symlinkSync(join(target, folder), join(target, installed, '@pergola', name))
  }
}
