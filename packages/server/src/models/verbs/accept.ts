import { ApiError, type FieldError } from '@pergola/api'
import { cloneJson } from '../../base/clone-json.ts'
import { deepEqual } from '../../base/deep-equal.ts'
import type { IndexedValues } from '../../store/store.ts'
import { fieldError, valueAt } from '../../call/field-error.ts'
import { hostFinalizerErrors, metadataErrors, type SentMetadata } from '../../validation/metadata.ts'
import { refuseBody } from '../../validation/refuse-body.ts'
import { foreignFinalizerErrors, reservedKeyErrors } from '../../validation/reserved-keys.ts'
import { declarerOf, withDeclarer } from '../definition/declarer.ts'
import { evaluated } from '../definition/evaluated.ts'
import { isFunctionFault, type Evaluation } from '../definition/evaluation.ts'
import { indexedObject } from '../indexed-object.ts'
import type { Model, WriteContext } from '../model.ts'
import { referenceErrors } from '../references.ts'
import { named, type JsonObject } from '../object.ts'

/** Reads a body as an object of the model. The path decides the type: a body may omit it but must not contradict it. */
export function readObject(model: Model, body: unknown): JsonObject {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const message = `must be a JSON object of the kind ${model.kind}`
    throw new ApiError('BadRequest', `the body ${message}`, {
      errors: [fieldError('', 'type', { message, params: { type: 'object' } })],
    })
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
      {
        errors: [
          fieldError(`/${field}`, 'type', {
            message: `must be "${model[field]}", as in the path`,
            params: { expected: model[field] },
          }),
        ],
      },
    )
  }
}

/** Sets the declarer and applies the model's own `prepare` rule, before the object is checked. */
export async function prepared(model: Model, sent: JsonObject, context: WriteContext): Promise<JsonObject> {
  const object = withDeclarer(sent, context.declaredBy ?? declarerOf(context.stored))
  return (await model.rules.prepare?.(object, context)) ?? object
}

export interface Acceptance extends WriteContext {
  /** The part of the object that is checked against the schema; the other parts stay as stored. */
  readonly checked: 'all' | 'status' | 'nothing'
  /** The declarer of a new object that does not state one. */
  readonly name?: string
  /** The indexed values do not change, so they need not be computed. */
  readonly isSettled?: boolean
}

const nothingEvaluated: Evaluation = { values: {}, errors: [] }

/** Fills in defaults and returns the indexed values. Throws `Invalid` with all errors. */
export async function accept(model: Model, object: JsonObject, acceptance: Acceptance): Promise<IndexedValues> {
  const { checked, stored, caller, mayRefer, verb = 'update', isSettled = false, name } = acceptance
  refuseInvalid(model, [...metadataErrors(object.metadata), ...(await schemaFaults(model, object, acceptance))])
  if (checked === 'all') refuseInvalid(model, await referenceErrors(model, object, { name, stored, caller, mayRefer }))
  if (caller) refuseInvalid(model, hostFinalizerErrors(object.metadata, stored?.metadata))
  if (caller?.kind === 'plugin') {
    const { groups } = caller
    refuseInvalid(model, [
      ...reservedKeyErrors(object.metadata, stored?.metadata),
      ...(groups ? foreignFinalizerErrors(groups, object.metadata, stored?.metadata) : []),
    ])
  }
  const { values, errors } = await evaluated(model, named(object, name), {
    indexes: !isSettled,
    ...(checked === 'all' && { check: { verb, stored, caller } }),
  }).catch((error: unknown) => {
    // The stored object may follow an older schema, which the function does not expect. Metadata and status can still be written;
    // the object then has no values in these indexes.
    if (checked === 'all' || !isFunctionFault(error)) throw error
    return nothingEvaluated
  })
  refuseInvalid(model, errors)
  const { indexed, faults } = indexedObject(model, object, values)
  const isNew = ({ pointer = '' }: FieldError) =>
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
  // Fills in defaults only in the parts that the client writes. Unchanged parts are checked on a copy.
  const fields = Object.entries(object).map(([field, value]) => [field, isKept(field) ? cloneJson(value) : value])
  const seen = Object.fromEntries(fields) as Record<string, unknown>
  const faults = await validate(seen, { stored })
  Object.assign(object, Object.fromEntries(Object.entries(seen).filter(([field]) => !isKept(field))))
  return checked === 'all' ? faults : faults.filter(({ pointer = '' }) => /^\/status(\/|$)/.test(pointer))
}

/** The fields that a write leaves unchanged. */
function keeps({ statusSubresource }: Model, { checked, stored }: Acceptance): (field: string) => boolean {
  if (checked === 'status') return (field) => field !== 'status'
  return (field) => field === 'status' && statusSubresource && stored !== undefined
}

export function refuseInvalid(model: Model, errors: readonly FieldError[]): void {
  refuseBody(`the ${model.singular}`, errors)
}
