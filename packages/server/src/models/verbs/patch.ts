import { ApiError } from '@pergola/api'
import { fieldError } from '../../call/field-error.ts'
import type { StoredObject } from '../../store/store.ts'
import type { WriteParts } from './create.ts'
import type { Model } from '../model.ts'
import { storedBytes } from '../object-bytes.ts'
import { jsonPatch, refuseReading } from './patch/json-patch.ts'
import { mergePatch } from './patch/merge-patch.ts'
import { withErrorsInPatch } from './patch/sent-place.ts'
import { updateObject, type UpdateRequest } from './update.ts'

export const jsonPatchType = 'application/json-patch+json'

/** Patch functions by content type. */
export const patchTypes = {
  'application/merge-patch+json': mergePatch,
  [jsonPatchType]: jsonPatch,
} as const

export type PatchType = keyof typeof patchTypes

export interface PatchRequest extends Omit<UpdateRequest, 'bodyFor'> {
  readonly type: PatchType
  readonly patch: unknown
}

/** Applies the patch to the object as it is served; the result is written like an update. */
export function patchObject(parts: WriteParts, model: Model, request: PatchRequest): Promise<StoredObject> {
  const { type, patch, ...rest } = request
  const bodyFor = (stored: StoredObject) => patchedBody(model, stored, { type, patch })
  const update = () => updateObject(parts, model, { verb: 'patch', ...rest, bodyFor })
  return type === jsonPatchType ? withErrorsInPatch(patch, update) : update()
}

/** The stored object with the patch applied. */
export function patchedBody(
  model: Model,
  stored: StoredObject,
  { type, patch }: Pick<PatchRequest, 'type' | 'patch'>,
): unknown {
  const { sealing } = model.rules
  if (sealing && type === jsonPatchType) refuseReading(patch, sealing.field)
  const patched = patchTypes[type](JSON.parse(storedBytes(model, stored).toString()), patch, model.rules.maxJsonDepth)
  if (typeof patched === 'object' && patched !== null && !Array.isArray(patched)) return patched
  const message = `leaves no JSON object, no ${model.kind}`
  throw new ApiError('Invalid', `the patch ${message}`, {
    errors: [fieldError('', 'type', { message, params: { type: 'object' } })],
  })
}
