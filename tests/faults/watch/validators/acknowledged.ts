import { isOurs } from '../committed-log.ts'
import type { Operation } from '../history.ts'
import type { KnownLog } from '../truth.ts'

/** Acknowledged writes are in the log, and rejected ones are not. */
export function acknowledged(operations: readonly Operation[], { entries, before }: KnownLog): readonly string[] {
  const marks = new Set<unknown>()
  const deleted = new Set<string>()
  for (const { change } of [...before.values(), ...entries.filter(isOurs)]) {
    marks.add(change.object.spec['mark']).add(change.object.status?.['phase'])
    if (change.object.metadata.deletionTimestamp !== undefined) deleted.add(change.uid)
  }
  return operations.flatMap((operation) => {
    const { verb, name, mark, outcome, uid } = operation
    const isDone = verb === 'delete' ? uid !== undefined && deleted.has(uid) : marks.has(mark)
    if (outcome === 'done' && !isDone) return [`${verb} of ${name} (${mark}) was acknowledged, and is not in the log`]
    return outcome === 'refused' && isDone ? [`${verb} of ${name} (${mark}) was refused, and done`] : []
  })
}
