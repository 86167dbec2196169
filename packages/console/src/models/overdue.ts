import { valueAt } from './cell-text.ts'
import { statePathOf } from './display.ts'
import { schemaAt, widgetOf, type Schema } from './schema.ts'

const deadlines = /^(due|deadline)|(Due|Deadline|By)$/
const finalStates =
  /^(done|closed|completed?|received|delivered|rejected|cancell?ed|resolved|archived|paid|finished|published)$/i
const finalTones: ReadonlySet<string> = new Set(['green', 'red'])

/** Whether the deadline at a path has passed and the object is not finished. */
export function isOverdue(object: unknown, path: string, whole: Schema | undefined): boolean {
  const end = deadlineOf(object, path, whole)
  return end !== undefined && end < Date.now()
}

/** When the deadline at a path ends, in milliseconds; undefined if the object is finished or the field is no deadline. */
export function deadlineOf(object: unknown, path: string, whole: Schema | undefined): number | undefined {
  const value = valueAt(object, path)
  if (!whole || typeof value !== 'string' || !deadlines.test(path.split('.').at(-1) ?? '')) return undefined
  const widget = widgetOf(schemaAt(whole, path.split('.')), whole)
  if ((widget !== 'date' && widget !== 'time') || isFinished(object, whole)) return undefined
  // A day is over at its end.
  return new Date(widget === 'date' ? `${value}T23:59:59.999` : value).getTime()
}

/** Decides by the name of the state, or by its tone: that of success or failure. */
function isFinished(object: unknown, whole: Schema): boolean {
  const path = statePathOf(whole)
  const state = path === undefined ? undefined : valueAt(object, path)
  if (path === undefined || typeof state !== 'string') return false
  const tone = schemaAt(whole, path.split('.'))['x-display']?.tones?.[state]
  return finalStates.test(state) || (tone !== undefined && finalTones.has(tone))
}
