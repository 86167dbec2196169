import { randomInt } from 'node:crypto'
import { isApiError } from '@pergola/api'
import type { Answer, Caller } from '../base/call.ts'
import type { Clock } from '../base/clock.ts'
import { uuidv7 } from '../base/uuid.ts'
import type { Store, StoredObject } from '../store/store.ts'
import { accept, prepared, readObject } from './accept.ts'
import { writeAccompanied } from './accompanied-write.ts'
import { jsonAnswer } from './json-answer.ts'
import { pathOf, type Model } from './model.ts'
import { etagOf } from './etag.ts'
import { withStatus, type JsonObject } from './json-object.ts'
import { toBytes, toData } from './object-bytes.ts'
import { toApiError } from './write-errors.ts'

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
  /** Goes to the rules of the host's own models, never into the object. */
  readonly secret?: string
  /** Everything is done but stored. */
  readonly dryRun?: boolean
}

export async function createObject(parts: WriteParts, model: Model, request: WriteRequest): Promise<Answer> {
  const created = await create(parts, model, request)
  const headers = { location: `${pathOf(model)}/${created.name}`, etag: etagOf(created) }
  return jsonAnswer(201, toBytes(model, created), headers)
}

async function create({ store, clock }: WriteParts, model: Model, request: WriteRequest): Promise<StoredObject> {
  const { body, caller, secret, dryRun = false } = request
  const context = { ...(caller && { caller }), ...(secret !== undefined && { secret }) }
  const object = prepared(model, withoutOwnedStatus(model, readObject(model, body)), context)
  const indexed = await accept(model, object, { ...context, checked: 'all' })
  const { metadata } = object
  const held = (metadata.finalizers ?? []).length > 0
  const content = { data: toData(object), storedAs: model.version, held, indexed, edition: model.edition }
  for (let tries = 1; ; tries++) {
    const name = metadata.name ?? `${metadata.generateName}${randomSuffix()}`
    try {
      const uid = uuidv7(clock.now())
      const operation = { type: 'create' as const, model, name, uid, content }
      const change = { name, uid, after: object }
      const created = await writeAccompanied(store, model, { operation, change, context, dryRun })
      if (!dryRun) await model.rules.afterWrite?.(object)
      return created.object
    } catch (error) {
      const known = toApiError(error, model)
      const clash = isApiError(known) && known.reason === 'AlreadyExists'
      if (!clash || metadata.name !== undefined || tries === generatedNameTries) throw known
    }
  }
}

/** Where status is written apart, creating leaves it out. */
function withoutOwnedStatus(model: Model, object: JsonObject): JsonObject {
  return model.statusSubresource ? withStatus(object, undefined) : object
}

function randomSuffix(): string {
  return Array.from({ length: suffixLength }, () => suffixLetters[randomInt(suffixLetters.length)]).join('')
}
