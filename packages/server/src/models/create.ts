import { randomInt } from 'node:crypto'
import { ApiError, isApiError, type Metadata } from '@pergola/api'
import type { Answer } from '../base/call.ts'
import type { Clock } from '../base/clock.ts'
import { uuidv7 } from '../base/uuid.ts'
import type { Store } from '../store/store.ts'
import { metadataErrors, type SentMetadata } from '../validation/metadata.ts'
import { jsonAnswer } from './json-answer.ts'
import type { Model } from './model.ts'

const generatedNameTries = 5
const suffixLength = 8
const suffixLetters = 'abcdefghijklmnopqrstuvwxyz0123456789'

interface SentObject {
  readonly metadata: SentMetadata
}

export interface CreateParts {
  readonly store: Store
  readonly clock: Clock
}

export async function createObject({ store, clock }: CreateParts, model: Model, body: unknown): Promise<Answer> {
  const sent = accept(model, body)
  for (let tries = 1; ; tries++) {
    const name = sent.metadata.name ?? `${sent.metadata.generateName}${randomSuffix()}`
    const bytes = Buffer.from(JSON.stringify(freshObject(model, sent, { name, now: clock.now() })))
    try {
      await store.write([{ type: 'create', model, name, bytes }])
      return jsonAnswer(201, bytes, { location: locationOf(model, name) })
    } catch (error) {
      const clash = isApiError(error) && error.reason === 'AlreadyExists'
      if (!clash || sent.metadata.name !== undefined || tries === generatedNameTries) throw error
    }
  }
}

/** The type named in the body, the metadata and the model's own fields are all checked before anything is stored. */
function accept(model: Model, body: unknown): SentObject {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError('BadRequest', `the body must be a JSON object, a ${model.kind}`)
  }
  for (const field of ['apiVersion', 'kind'] as const) {
    const sent = (body as Record<string, unknown>)[field]
    if (sent !== undefined && sent !== model[field]) {
      throw new ApiError(
        'TypeMismatch',
        `the path is of ${field} "${model[field]}", the body says ${JSON.stringify(sent)}; correct it or leave it out`,
      )
    }
  }
  const metadata = (body as Record<string, unknown>)['metadata'] ?? {}
  const errors = [...metadataErrors(metadata), ...model.validate(body)]
  if (errors.length > 0) {
    const first = errors.map((error) => `${error.field} ${error.message}`).slice(0, 3)
    throw new ApiError('Invalid', `the ${model.singular} is not valid: ${first.join('; ')}`, { errors })
  }
  const { apiVersion: _apiVersion, kind: _kind, ...fields } = body as Record<string, unknown>
  return { ...fields, metadata }
}

/** Server-owned metadata is set here, whatever the client sent in it. */
function freshObject(model: Model, sent: SentObject, { name, now }: { name: string; now: number }): object {
  const { labels, annotations, finalizers } = sent.metadata
  const metadata: Metadata = {
    name,
    uid: uuidv7(now),
    creationTimestamp: new Date(now).toISOString(),
    version: 0,
    generation: 1,
    ...(finalizers && { finalizers }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
  }
  const { metadata: _sent, ...fields } = sent
  return { apiVersion: model.apiVersion, kind: model.kind, metadata, ...fields }
}

function locationOf(model: Model, name: string): string {
  const root = model.group === '' ? '/api' : '/apis'
  return `${root}/${model.apiVersion}/${model.plural}/${name}`
}

function randomSuffix(): string {
  return Array.from({ length: suffixLength }, () => suffixLetters[randomInt(suffixLetters.length)]).join('')
}
