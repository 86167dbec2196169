import { isDeepStrictEqual } from 'node:util'
import type { Frame, Lineage } from '../history.ts'
import { isEvent, told } from '../sessions.ts'
import type { Truth } from '../truth.ts'
import type { Validator } from './validator.ts'

/** Every event has the right type for the selection and the object as in the log. */
export const selectorTrue: Validator = (lineage, truth) =>
  lineage.sessions.flatMap((session) =>
    session.frames.flatMap((frame) => {
      const fault = isEvent(frame) ? faultOf(frame, lineage, truth) : undefined
      return fault === undefined ? [] : [`${told(lineage, session)}: ${fault}`]
    }),
  )

type EventFrame = Extract<Frame, { object: unknown }>

function faultOf({ type, place, object }: EventFrame, { selection }: Lineage, truth: Truth): string | undefined {
  const { name, uid, version } = object.metadata
  const what = `${type} ${name} version ${version}${place ? ` at ${place.number}` : ''}`
  const known = truth.version(uid, version)
  if (!known) return `${what} is not in the log`
  if (!isDeepStrictEqual(object, known.object)) return `${what} is not as it was stored`
  if (!place) {
    const isSelected = known.op !== 'deleted' && selection.selects(object)
    return isSelected === (type !== 'DELETED') ? undefined : `${what} is not what the selection is about`
  }
  const entry = truth.entry(place.number)
  if (entry?.change !== known || entry.tag !== place.tag) return `${what} has the place of another change`
  const expected = truth.typeOf(place.number)
  return expected === type ? undefined : `${what} should be ${expected ?? 'nothing to it'}`
}
