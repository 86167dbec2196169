import { ApiError, isApiError } from '@pergola/api'
import { GuardFailed } from '../store/guard-failed.ts'
import type { StoredObject, WriteOperation } from '../store/store.ts'
import { uuidv7 } from '../base/uuid.ts'
import { WriteConflict } from '../store/write-conflict.ts'
import { newObject, type WriteParts } from './create.ts'
import type { JsonObject } from './object.ts'
import type { Accompaniment, Model } from './model.ts'
import { fromData } from './object-bytes.ts'
import { changeOf } from './update.ts'

/** Others may write what is written together between our reading and our writing this often. */
const maxTries = 20

/** What an object is to be, whether it is there or not; without a body it is to be gone. */
export interface Wish {
  readonly model: Model
  readonly name: string
  /** Who wishes it, for whoever has to mend what is wrong with it. */
  readonly where?: string
  /** Given what is stored. */
  readonly bodyFor?: (stored: StoredObject | undefined) => unknown
}

interface Planned extends Accompaniment {
  readonly operation: WriteOperation
  readonly model: Model
  /** As it will be, or was. */
  readonly object: JsonObject
}

/** By the host itself: makes several objects what they are to be, all of them or none. Asks and checks what each of them would. */
export async function writeTogether(
  parts: WriteParts,
  wishes: readonly Wish[],
  { dryRun = false } = {},
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const planned = (await Promise.all(wishes.map((wish) => planWish(parts, wish)))).filter((one) => one !== undefined)
    const all = <Item>(pick: (one: Planned) => readonly Item[] | undefined) => planned.flatMap((one) => pick(one) ?? [])
    try {
      await parts.store.write([...planned.map(({ operation }) => operation), ...all(({ operations }) => operations)], {
        dryRun,
        guards: all(({ guards }) => guards),
        also: all(({ also }) => also),
      })
    } catch (error) {
      const raced = error instanceof GuardFailed || (error instanceof WriteConflict && error.kind !== 'duplicate')
      if (!raced || tries === maxTries) throw error
      continue
    }
    if (!dryRun) for (const { model, object } of planned) await model.rules.afterWrite?.(object)
    return
  }
}

async function planWish(parts: WriteParts, wish: Wish): Promise<Planned | undefined> {
  try {
    return await plan(parts, wish)
  } catch (error) {
    if (!isApiError(error) || wish.where === undefined) throw error
    throw new ApiError(error.reason, `${wish.where}: ${error.message}`, { cause: error })
  }
}

async function plan({ store, clock }: WriteParts, wish: Wish): Promise<Planned | undefined> {
  const { model, name, bodyFor } = wish
  const stored = await store.get(model, name)
  const body = bodyFor?.(stored)
  if (!stored) {
    if (body === undefined) return undefined
    const { object, context, contentAs } = await newObject(model, { body })
    const uid = uuidv7(clock.now())
    const operation = { type: 'create' as const, model, name, uid, content: contentAs(uid) }
    return { model, object, operation, ...(await model.rules.accompany?.({ name, uid, after: object }, context)) }
  }
  const { uid, version } = stored
  const expected = { uid, version }
  if (body === undefined) {
    const before = fromData(stored.data)
    const operation = { type: 'delete' as const, model, name, expected }
    const added = await model.rules.accompany?.({ name, uid, before }, { stored: before })
    return { model, object: { ...before, metadata: { name } }, operation, ...added }
  }
  const request = { name, bodyFor: () => body }
  const { object, before, content, newGeneration, context } = await changeOf(model, stored, request)
  const operation = { type: 'update' as const, model, name, expected, content, newGeneration }
  return { model, object, operation, ...(await model.rules.accompany?.({ name, uid, before, after: object }, context)) }
}
