import { randomInt } from 'node:crypto'
import { isApiError } from '@pergola/api'
import type { Caller } from '../../call/call.ts'
import type { Clock } from '../../base/clock.ts'
import { uuidv7 } from '../../base/uuid.ts'
import type { CreateOperation, IndexedValues, ObjectContent, Store, StoredObject } from '../../store/store.ts'
import { accept, prepared, readObject } from './accept.ts'
import { writeAccompanied } from './accompanied-write.ts'
import type { MayRefer, Model, WriteContext } from '../model.ts'
import { withStatus, type JsonObject } from '../object.ts'
import { toData } from '../object-bytes.ts'
import { writeProblem } from './write-errors.ts'

const generatedNameTries = 5
const suffixLength = 8
const suffixLetters = 'abcdefghijklmnopqrstuvwxyz0123456789'

export interface WriteParts {
  readonly store: Store
  readonly clock: Clock
}

export interface WriteRequest {
  readonly body: unknown
  readonly caller?: Caller
  /** For the rules of built-in models; never stored in the object. */
  readonly secret?: string
  /** The plugin whose package declares the object: see `WriteContext`. */
  readonly declaredBy?: string
  /** Runs every step except storing. */
  readonly dryRun?: boolean
  /** What rules read in a batch: see `WriteContext`. */
  readonly store?: Store
  /** See `WriteContext`. */
  readonly mayRefer?: MayRefer | undefined
}

export async function createObject(
  { store, clock }: WriteParts,
  model: Model,
  request: WriteRequest,
): Promise<StoredObject> {
  const { dryRun = false } = request
  for (let tries = 1; ; tries++) {
    const { name, object, context, contentAs } = await newObject(model, request)
    try {
      const uid = uuidv7(clock.now())
      const operation = { type: 'create' as const, model, name, uid, content: contentAs(uid) }
      const change = { name, uid, after: object }
      const created = await writeAccompanied(store, model, { operation, change, context, dryRun })
      if (!dryRun) await model.rules.afterWrite?.(object)
      return created.object
    } catch (error) {
      const known = writeProblem(error, model)
      const clash = isApiError(known) && known.reason === 'AlreadyExists'
      if (!clash || object.metadata.name !== undefined || tries === generatedNameTries) throw known
    }
  }
}

/** A new name with the prefix that the object states. */
function generatedName({ metadata }: JsonObject): string {
  const suffix = Array.from({ length: suffixLength }, () => suffixLetters[randomInt(suffixLetters.length)]).join('')
  return `${metadata?.generateName}${suffix}`
}

export interface NewObject {
  /** As stated, or generated. */
  readonly name: string
  readonly object: JsonObject
  readonly context: WriteContext
  /** The stored content for this uid; sealed fields are sealed for that uid only. */
  readonly contentAs: (uid: string) => ObjectContent
}

/** Validates the body and returns the object to create. */
export async function newObject(model: Model, request: WriteRequest): Promise<NewObject> {
  const { body, caller, secret, store, declaredBy, mayRefer } = request
  const context: WriteContext = {
    verb: 'create',
    ...(caller && { caller }),
    ...(secret !== undefined && { secret }),
    ...(store && { store }),
    ...(declaredBy !== undefined && { declaredBy }),
    ...(mayRefer && { mayRefer }),
  }
  const object = await prepared(model, withoutOwnedStatus(model, readObject(model, body)), context)
  const name = object.metadata?.name ?? generatedName(object)
  const indexed = await accept(model, object, { ...context, checked: 'all', name })
  const sealedAs = (uid: string) => model.rules.sealing?.seal(object, { uid }) ?? object
  return { name, object, context, contentAs: (uid) => contentOf(model, sealedAs(uid), indexed) }
}

function contentOf(model: Model, object: JsonObject, indexed: IndexedValues): ObjectContent {
  const held = (object.metadata.finalizers ?? []).length > 0
  return { data: toData(object), storedAs: model.version, held, indexed, edition: model.edition }
}

/** Creates a host-owned object together with others; does not apply the model's own rules. */
export async function createOperation(
  { clock }: Pick<WriteParts, 'clock'>,
  model: Model,
  object: JsonObject & { readonly metadata: { readonly name: string } },
): Promise<CreateOperation> {
  const content = contentOf(model, object, await accept(model, object, { checked: 'nothing' }))
  return { type: 'create', model, name: object.metadata.name, uid: uuidv7(clock.now()), content }
}

/** For models with a status sub-resource, create ignores the status. */
function withoutOwnedStatus(model: Model, object: JsonObject): JsonObject {
  return model.statusSubresource ? withStatus(object, undefined) : object
}
