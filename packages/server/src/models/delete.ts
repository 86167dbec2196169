import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '@pergola/api'
import type { Answer } from '../base/call.ts'
import type { StoredObject } from '../store/store.ts'
import { WriteConflict } from '../store/write-conflict.ts'
import type { WriteParts } from './create.ts'
import { assertMatches, etagOf } from './etag.ts'
import { jsonAnswer } from './json-answer.ts'
import type { Model } from './model.ts'
import { fromData, toBytes } from './object-bytes.ts'
import { toApiError } from './write-errors.ts'

const maxTries = 20

export interface DeleteRequest {
  readonly name: string
  readonly headers: IncomingHttpHeaders
  readonly dryRun?: boolean
}

/** Answers the object as it was last, or as it now waits for its finalizers to be removed. */
export async function deleteObject(parts: WriteParts, model: Model, request: DeleteRequest): Promise<Answer> {
  const { store } = parts
  const { name, headers, dryRun = false } = request
  const isGuarded = headers['if-match'] !== undefined || model.rules.beforeDelete !== undefined
  for (let tries = 1; ; tries++) {
    const expected = isGuarded ? await guarded(parts, model, request) : undefined
    try {
      const [result] = await store.write([{ type: 'delete', model, name, ...(expected && { expected }) }], { dryRun })
      if (!result) throw new Error('a write answered nothing')
      const { object } = result
      if (!dryRun) await model.rules.afterWrite?.({ ...fromData(object.data), metadata: { name } })
      return jsonAnswer(200, toBytes(model, object), { etag: etagOf(object) })
    } catch (error) {
      const raced = error instanceof WriteConflict && (error.kind === 'version' || error.kind === 'uid')
      if (!raced || tries === maxTries) throw toApiError(error, model)
    }
  }
}

/** What was looked at is what is deleted. */
async function guarded(
  { store }: WriteParts,
  model: Model,
  { name, headers, dryRun = false }: DeleteRequest,
): Promise<Pick<StoredObject, 'uid' | 'version'>> {
  const stored = await store.get(model, name)
  if (!stored) throw new ApiError('NotFound', `there is no ${model.singular} "${name}"`)
  assertMatches(headers, stored, `${model.singular} "${name}"`)
  await model.rules.beforeDelete?.(fromData(stored.data), { dryRun })
  return { uid: stored.uid, version: stored.version }
}
