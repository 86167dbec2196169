import { usersTarget, type FieldError } from '@pergola/api'
import type { Caller } from '../call/call.ts'
import { fieldError, limitError } from '../call/field-error.ts'
import { keyOf } from '../store/model-table.ts'
import type { Guard, ModelKey, Store, StoredObject } from '../store/store.ts'
import { fromData } from './object-bytes.ts'
import { refuseBody } from '../validation/refuse-body.ts'
import { resourceOf } from './query/related.ts'
import type { MayRefer, Model, ModelIndex, ObjectChange } from './model.ts'
import type { JsonObject } from './object.ts'

/** Of one write. */
export const maxAdded = 100

/** A value that a write adds to a reference. */
interface Added {
  readonly target: ModelKey
  readonly name: string
  readonly pointer: string
}

/** Values that are stored already, and an object that names itself, need no target. */
function addedBy(model: Model, { name: own, before, after }: Omit<ObjectChange, 'uid'>): readonly Added[] {
  if (!after) return []
  return model.indexes.flatMap((index) => {
    const { refersTo: target } = index
    if (!target) return []
    const known = new Set((before ? index.valuesOf(before) : []).map(({ value }) => value))
    const isOwn = keyOf(target) === keyOf(model)
    return index
      .valuesOf(after)
      .flatMap(({ value, pointer }) =>
        typeof value !== 'string' || known.has(value) || (isOwn && value === own)
          ? []
          : [{ target, name: value, pointer }],
      )
  })
}

export interface ReferenceWrite {
  /** The name of a new object, if it is known. */
  readonly name: string | undefined
  readonly stored: JsonObject | undefined
  readonly caller: Caller | undefined
  readonly mayRefer: MayRefer | undefined
}

/**
 * Errors that rules alone decide, before the database is asked. An object of another group that the request may not get is
 * reported as missing, so that nobody learns by a reference whether it exists.
 */
export async function referenceErrors(
  model: Model,
  object: JsonObject,
  { name = '', stored, caller, mayRefer }: ReferenceWrite,
): Promise<readonly FieldError[]> {
  const added = addedBy(model, { name, after: object, ...(stored && { before: stored }) })
  const [first] = added
  if (first && added.length > maxAdded) {
    return [limitError(first.pointer, { found: added.length, limit: maxAdded, unit: 'new references' })]
  }
  if (!mayRefer) return []
  const isKnown = async ({ target, name: to }: Added) => {
    if (target.group === model.group) return true
    if (caller?.kind === 'user' && keyOf(target) === keyOf(usersTarget) && to === caller.name) return true
    return mayRefer(target, to)
  }
  const known = await Promise.all(added.map(isKnown))
  return added.filter((_, at) => known[at] === false).map(missing)
}

/** Throws if an added value names an object that `store` does not show. For updates and batches: a create checks by itself. */
export async function assertTargets(store: Pick<Store, 'get'>, model: Model, change: ObjectChange): Promise<void> {
  const errors: FieldError[] = []
  for (const added of addedBy(model, change)) {
    const stored = await store.get(added.target, added.name)
    if (!stored || stored.deletedAt !== undefined) errors.push(missing(added))
  }
  refuseBody(`the ${model.singular}`, errors)
}

/** Bound of one read of targets. */
const targetBytes = 8 * 1024 * 1024

/**
 * The names of those objects that refer to an object which does not exist. Leaves out references to other groups: the answer
 * would tell callers without a right there which objects exist.
 */
export async function dangling(
  store: Pick<Store, 'getMany'>,
  model: Model,
  items: readonly StoredObject[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const index of model.indexes) {
    const { refersTo: target } = index
    if (target?.group !== model.group) continue
    const values = items.map(({ name, data }) => ({ name, named: namesIn(index, fromData(data)) }))
    const known = await existing(store, target, [...new Set(values.flatMap(({ named }) => named))])
    for (const { name, named } of values) if (named.some((one) => !known.has(one))) found.add(name)
  }
  return found
}

function namesIn({ valuesOf }: ModelIndex, object: JsonObject): readonly string[] {
  return valuesOf(object).flatMap(({ value }) => (typeof value === 'string' ? [value] : []))
}

async function existing(
  store: Pick<Store, 'getMany'>,
  model: ModelKey,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>()
  for (let left = names; left.length > 0;) {
    const { items, isPartial } = await store.getMany(model, left, targetBytes)
    for (const { name } of items) known.add(name)
    const last = items.at(-1)?.name
    left = isPartial && last !== undefined ? left.filter((name) => name > last) : []
  }
  return known
}

/** Keeps the objects that an update refers to from being deleted before it commits. */
export function targetGuards(model: Model, change: ObjectChange): readonly Guard[] {
  return addedBy(model, change).map(({ target, name }) => ({ is: 'target', model: target, name }))
}

/** The error for a value of a create whose object does not exist. */
export function missingTarget(
  model: Model,
  data: Buffer,
  { index: named, name }: { index: string; name: string },
): FieldError {
  const index = model.indexes.find((one) => one.name === named)
  const found = index?.valuesOf(fromData(data)).find(({ value }) => value === name)
  return missing({ target: index?.refersTo ?? model, name, pointer: found?.pointer ?? '' })
}

function missing({ target, name, pointer }: Added): FieldError {
  return fieldError(pointer, 'reference', {
    message: `there is no "${name}" in ${resourceOf(target)}, or it is being deleted`,
    params: { resource: resourceOf(target), name },
  })
}
