import type { Lineage, Operation, TakenList } from './history.ts'
import { told } from './sessions.ts'
import { truthOf, type KnownLog, type Truth } from './truth.ts'
import { acknowledged } from './validators/acknowledged.ts'
import { bookmarkTrue } from './validators/bookmark-true.ts'
import { complete } from './validators/complete.ts'
import { expiredRightly } from './validators/expired-rightly.ts'
import { initialExact } from './validators/initial-exact.ts'
import { ordered } from './validators/ordered.ts'
import { resumable } from './validators/resumable.ts'
import { selectorTrue } from './validators/selector-true.ts'
import { stateTrue } from './validators/state-true.ts'
import { unique } from './validators/unique.ts'
import type { Validator } from './validators/validator.ts'

/** All records of a round. */
export interface History {
  readonly log: KnownLog
  readonly operations: readonly Operation[]
  readonly lineages: readonly Lineage[]
  /** Lists of the API at rest, by selection name. */
  readonly listed: ReadonlyMap<string, TakenList>
  readonly floorAt: Truth['floorAt']
}

/** Faults, by validator name. */
export type Violations = ReadonlyMap<string, readonly string[]>

export function judge({ log, operations, lineages, listed, floorAt }: History): Violations {
  const truths = new Map<string, Truth>()
  const truthFor = ({ selection }: Lineage) => {
    const known = truths.get(selection.name) ?? truthOf(log, selection, floorAt)
    truths.set(selection.name, known)
    return known
  }
  const validators: Readonly<Record<string, Validator>> = {
    ordered,
    unique,
    complete: complete(operations),
    resumable,
    'bookmark-true': bookmarkTrue,
    'selector-true': selectorTrue,
    'initial-exact': initialExact,
    'state-true': stateTrue(listed),
    'expired-rightly': expiredRightly,
    'well-formed': wellFormed,
  }
  const violations = Object.entries(validators).map(
    ([name, validate]) => [name, lineages.flatMap((lineage) => validate(lineage, truthFor(lineage)))] as const,
  )
  return new Map([...violations, ['acknowledged', acknowledged(operations, log)]])
}

const wellFormed: Validator = (lineage) =>
  lineage.sessions.flatMap((session) => session.malformed.map((what) => `${told(lineage, session)}: ${what}`))
