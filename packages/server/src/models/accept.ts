import { ApiError, type FieldError } from '@pergola/api'
import { cloneJson } from '../base/clone-json.ts'
import { deepEqual } from '../base/deep-equal.ts'
import type { IndexedValues } from '../store/store.ts'
import { fieldError, valueAt } from '../base/field-error.ts'
import { metadataErrors, type SentMetadata } from '../validation/metadata.ts'
import { refuseBody } from '../validation/refuse-body.ts'
import { reservedKeyErrors } from '../validation/reserved-keys.ts'
import { evaluated } from './evaluated.ts'
import { indexedObject } from './indexed-object.ts'
import type { Model, WriteContext } from './model.ts'
import type { JsonObject } from './object.ts'

/** A body as an object of the model; the path decides the type, a body may leave it out, but not say another. */
export function readObject(model: Model, body: unknown): JsonObject {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError('BadRequest', `the body must be a JSON object, a ${model.kind}`)
  }
  const { apiVersion, kind, metadata = {}, ...fields } = body as Record<string, unknown>
  refuseOtherType(model, { apiVersion, kind })
  return { ...fields, metadata: metadata as SentMetadata }
}

function refuseOtherType(model: Model, sent: { readonly apiVersion: unknown; readonly kind: unknown }): void {
  for (const field of ['apiVersion', 'kind'] as const) {
    if (sent[field] === undefined || sent[field] === model[field]) continue
    throw new ApiError(
      'TypeMismatch',
      `the path is of ${field} "${model[field]}", the body says ${JSON.stringify(sent[field])}; correct it or leave it out`,
      { errors: [fieldError(`/${field}`, 'type', `must be "${model[field]}", as the path says`)] },
    )
  }
}

/** As the model itself has it, before it is checked. */
export function prepared(model: Model, object: JsonObject, context: WriteContext): JsonObject {
  return model.rules.prepare?.(object, context) ?? object
}

export interface Acceptance extends WriteContext {
  /** Which part of the object is checked against the schema; the others are as they are stored. */
  readonly checked: 'all' | 'status' | 'nothing'
  /** Nobody needs to know what is indexed: it stays as it is. */
  readonly isSettled?: boolean
}

/** Throws `Invalid` with everything that is wrong; fills in defaults. Answers what of the object is indexed. */
export async function accept(model: Model, object: JsonObject, acceptance: Acceptance): Promise<IndexedValues> {
  const { checked, stored, caller, verb = 'update', isSettled = false } = acceptance
  refuseInvalid(model, [...metadataErrors(object.metadata), ...(await schemaFaults(model, object, acceptance))])
  if (caller?.kind === 'plugin') refuseInvalid(model, reservedKeyErrors(object.metadata, stored?.metadata))
  const { values, errors } = await evaluated(model, object, {
    indexes: !isSettled,
    ...(checked === 'all' && { check: { verb, stored, caller } }),
  })
  refuseInvalid(model, errors)
  const { indexed, faults } = indexedObject(model, object, values)
  const isNew = ({ pointer }: FieldError) =>
    stored === undefined || !deepEqual(valueAt(object, pointer), valueAt(stored, pointer))
  refuseInvalid(model, faults.filter(isNew))
  if (checked === 'all' && model.rules.check) refuseInvalid(model, await model.rules.check(object, acceptance))
  return indexed
}

async function schemaFaults(model: Model, object: JsonObject, acceptance: Acceptance): Promise<readonly FieldError[]> {
  const { checked, stored } = acceptance
  if (checked === 'nothing') return []
  const validate = await model.validator()
  const isKept = keeps(model, acceptance)
  // Defaults are filled in where the client writes; what stays as it is stored is only looked at, in a copy.
  const fields = Object.entries(object).map(([field, value]) => [field, isKept(field) ? cloneJson(value) : value])
  const seen = Object.fromEntries(fields) as Record<string, unknown>
  const faults = await validate(seen, { stored })
  Object.assign(object, Object.fromEntries(Object.entries(seen).filter(([field]) => !isKept(field))))
  return checked === 'all' ? faults : faults.filter(({ pointer }) => /^\/status(\/|$)/.test(pointer))
}

/** Which fields a write leaves as they are stored. */
function keeps({ statusSubresource }: Model, { checked, stored }: Acceptance): (field: string) => boolean {
  if (checked === 'status') return (field) => field !== 'status'
  return (field) => field === 'status' && statusSubresource && stored !== undefined
}

export function refuseInvalid(model: Model, errors: readonly FieldError[]): void {
  refuseBody(`the ${model.singular}`, errors)
}
