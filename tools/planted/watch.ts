import { parseArgs } from 'node:util'
import { runCommand } from '../run-command.ts'
import { applyEdit } from './apply-edit.ts'
import { copyForPlanting } from './planted-copy.ts'
import { watchFaults, type WatchFault } from './watch-faults.ts'

/** One round without faults except the planted one; readers reconnect. */
const command =
  'node --conditions=@pergola/source tests/faults/watch.ts --calm --rounds=1 --seconds=12 --results=node_modules/.cache/planted-watch.jsonl'

/**
 * Breaks the promises of watches one by one; the expected validator must report it, and no unrelated
 * validator. `--only=complete,unique` selects by validator. Returns whether all were detected.
 */
export async function plantInWatch(words: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({ args: [...words], options: { only: { type: 'string' } } })
  const only = values.only?.split(',')
  const chosen = watchFaults.filter(({ seenBy }) => only?.includes(seenBy) ?? true)
  if (chosen.length === 0) throw new Error(`no fault is meant for ${values.only}`)
  using copy = copyForPlanting()
  const { passed, output } = await runCommand(command, { cwd: copy.path })
  if (!passed) console.log(`the history is wrong without a fault:\n${output}`)
  let seen = 0
  for (const fault of passed ? chosen : []) if (await isSeen(copy.path, fault)) seen++
  console.log(`${seen} of ${chosen.length} seen`)
  return seen === chosen.length
}

async function isSeen(cwd: string, { what, edits, seenBy, also = [] }: WatchFault): Promise<boolean> {
  const undo = edits.map((edit) => applyEdit(cwd, edit))
  const { output, seconds } = await runCommand(command, { cwd })
  for (const restore of undo.toReversed()) restore()
  const red = [...output.matchAll(/^ {2}([a-z-]+): \d+$/gm)].map(([, validator]) => validator ?? '')
  const strangers = red.filter((validator) => validator !== seenBy && !also.includes(validator))
  const isRight = red.includes(seenBy) && strangers.length === 0
  const others = red.filter((validator) => validator !== seenBy)
  const beside = others.length === 0 ? 'alone' : `with ${others.join(', ')}`
  console.log(
    `${seenBy.padEnd(16)} ${isRight ? 'red     ' : 'NOT SEEN'} ${seconds.toFixed(0).padStart(4)} s  ${what} (${beside})`,
  )
  if (!isRight) console.log(output.replaceAll(/^/gm, '    '))
  return isRight
}
