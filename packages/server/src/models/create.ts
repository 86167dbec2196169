import { randomInt } from 'node:crypto'
import { ApiError, isApiError } from '@pergola/api'
import type { Answer } from '../base/call.ts'
import type { Clock } from '../base/clock.ts'
import { uuidv7 } from '../base/uuid.ts'
import type { Store } from '../store/store.ts'
import { metadataErrors, type SentMetadata } from '../validation/metadata.ts'
import { jsonAnswer } from './json-answer.ts'
import type { Model } from './model.ts'
import { toBytes, toData, type SentObject } from './object-bytes.ts'
import { toApiError } from './write-errors.ts'

const generatedNameTries = 5
const suffixLength = 8
const suffixLetters = 'abcdefghijklmnopqrstuvwxyz0123456789'

export interface CreateParts {
  readonly store: Store
  readonly clock: Clock
}

export async function createObject({ store, clock }: CreateParts, model: Model, body: unknown): Promise<Answer> {
  const sent = accept(model, body)
  const { metadata } = sent
  const content = {
    data: toData(sent),
    storedAs: model.version,
    held: (metadata.finalizers ?? []).length > 0,
    indexed: { labels: metadata.labels ?? {}, single: {}, multi: {} },
  }
  for (let tries = 1; ; tries++) {
    const name = metadata.name ?? `${metadata.generateName}${randomSuffix()}`
    try {
      const [created] = await store.write([{ type: 'create', model, name, uid: uuidv7(clock.now()), content }])
      if (!created) throw new Error('a write answered nothing')
      return jsonAnswer(201, toBytes(model, created.object), { location: locationOf(model, name) })
    } catch (error) {
      const known = toApiError(error, model)
      const clash = isApiError(known) && known.reason === 'AlreadyExists'
      if (!clash || metadata.name !== undefined || tries === generatedNameTries) throw known
    }
  }
}

/** The type named in the body, the metadata and the model's own fields are all checked before anything is stored. */
function accept(model: Model, body: unknown): SentObject {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError('BadRequest', `the body must be a JSON object, a ${model.kind}`)
  }
  const { apiVersion, kind, metadata = {}, ...fields } = body as Record<string, unknown>
  refuseOtherType(model, { apiVersion, kind })
  const errors = [...metadataErrors(metadata), ...model.validate(body)]
  if (errors.length > 0) {
    const first = errors.map((error) => `${error.field} ${error.message}`).slice(0, 3)
    throw new ApiError('Invalid', `the ${model.singular} is not valid: ${first.join('; ')}`, { errors })
  }
  return { ...fields, metadata: metadata as SentMetadata }
}

/** The path decides the type; a body may leave it out, but not say another. */
function refuseOtherType(model: Model, sent: { readonly apiVersion: unknown; readonly kind: unknown }): void {
  for (const field of ['apiVersion', 'kind'] as const) {
    if (sent[field] === undefined || sent[field] === model[field]) continue
    throw new ApiError(
      'TypeMismatch',
      `the path is of ${field} "${model[field]}", the body says ${JSON.stringify(sent[field])}; correct it or leave it out`,
    )
  }
}

function locationOf(model: Model, name: string): string {
  const root = model.group === '' ? '/api' : '/apis'
  return `${root}/${model.apiVersion}/${model.plural}/${name}`
}

function randomSuffix(): string {
  return Array.from({ length: suffixLength }, () => suffixLetters[randomInt(suffixLetters.length)]).join('')
}
