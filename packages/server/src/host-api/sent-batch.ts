import { ApiError, type FieldError, type JsonSchema } from '@pergola/api'
import type { IncomingRequest } from '../call/call.ts'
import { fieldError } from '../call/field-error.ts'
import { isJsonObject } from '../base/json-object.ts'
import { maxObjectBytes } from '../models/object-bytes.ts'
import { patchTypes, type PatchType } from '../models/verbs/patch.ts'
import { parseJsonBody } from '../validation/json-body.ts'
import { refuseBody } from '../validation/refuse-body.ts'
import { compileSchema } from '../validation/schema-validator.ts'

/** Limit of the whole body; each object has the usual limit. */
export const maxBatchBytes = 8 * 1024 * 1024
export const mostOperations = 100

const text = { type: 'string', minLength: 1, maxLength: 253 }

export const sentBatch: JsonSchema = {
  type: 'object',
  required: ['operations'],
  additionalProperties: false,
  properties: {
    operations: {
      type: 'array',
      minItems: 1,
      maxItems: mostOperations,
      description: 'Applied in this order. An object must not appear twice.',
      items: {
        type: 'object',
        required: ['verb', 'apiVersion', 'resource'],
        additionalProperties: false,
        properties: {
          verb: { enum: ['create', 'update', 'patch', 'delete'] },
          apiVersion: {
            type: 'string',
            pattern: '^([^/]+/)?[^/]+$',
            maxLength: 300,
            description: 'Group and version, as in the object; the core group has the version alone.',
          },
          resource: { ...text, description: 'The plural of the model.' },
          name: { ...text, description: 'Required, except for create, which takes the name from the object.' },
          subresource: { enum: ['status'], description: 'For update and patch of models with a status sub-resource.' },
          patchType: { enum: Object.keys(patchTypes), description: 'The media type of the patch; required for patch.' },
          object: {
            type: ['object', 'array'],
            additionalProperties: true,
            description:
              'The object to create or to update to, or the patch. For delete it is optional: the operation fails unless its metadata.uid and metadata.version are the stored ones.',
          },
        },
      },
    },
  },
}

/** One operation as sent. */
export interface SentOperation {
  readonly verb: 'create' | 'update' | 'patch' | 'delete'
  readonly apiVersion: string
  readonly resource: string
  readonly name?: string
  readonly subresource?: 'status'
  readonly patchType?: PatchType
  readonly object?: unknown
}

const faults = compileSchema(sentBatch)

/** Reads the operations; all errors in how they are stated are reported together. */
export async function readBatch(request: IncomingRequest): Promise<readonly SentOperation[]> {
  const bytes = await request.readBody(maxBatchBytes)
  const { value } = parseJsonBody(request.headers['content-type'], bytes, { types: ['application/json'] })
  refuseBody('the batch', faults(value))
  const { operations } = value as { readonly operations: readonly SentOperation[] }
  refuseBody('the batch', [...operations.flatMap(operationErrors), ...duplicateErrors(operations)])
  for (const [at, { object }] of operations.entries()) refuseLarge(at, object)
  return operations
}

/** The name of the object concerned; undefined when the host chooses it, or the object is not valid. */
export function nameOf({ verb, name, object }: SentOperation): string | undefined {
  if (verb !== 'create') return name
  const { name: given } = metadataOf(object)
  return typeof given === 'string' ? given : undefined
}

export function metadataOf(object: unknown): Readonly<Record<string, unknown>> {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined
  return isJsonObject(metadata) ? metadata : {}
}

/** What each verb requires besides its target, and what it does not take. */
const fieldsOf = {
  create: { required: ['object'], refused: ['name', 'subresource', 'patchType'] },
  update: { required: ['name', 'object'], refused: ['patchType'] },
  patch: { required: ['name', 'patchType', 'object'], refused: [] },
  delete: { required: ['name'], refused: ['subresource', 'patchType'] },
} as const

function operationErrors(operation: SentOperation, at: number): readonly FieldError[] {
  const { verb, object, patchType } = operation
  const { required, refused } = fieldsOf[verb]
  const pointer = (field: string) => `/operations/${at}/${field}`
  const isSteps = Array.isArray(object) && patchType !== 'application/json-patch+json'
  return [
    ...required
      .filter((field) => operation[field] === undefined)
      .map((field) => fieldError(pointer(field), 'required', `is required for ${verb}`)),
    ...refused
      .filter((field) => operation[field] !== undefined)
      .map((field) => fieldError(pointer(field), 'unknown', `is not taken by ${verb}`)),
    ...(isSteps
      ? [
          fieldError(pointer('object'), 'type', {
            message: 'must be an object; only a JSON Patch is an array',
            params: { type: 'object' },
          }),
        ]
      : []),
  ]
}

function duplicateErrors(operations: readonly SentOperation[]): readonly FieldError[] {
  const first = new Map<string, number>()
  return operations.flatMap((operation, at) => {
    const name = nameOf(operation)
    if (name === undefined) return []
    const [group = ''] = operation.apiVersion.split('/').slice(0, -1)
    const key = `${group}/${operation.resource}/${name}`
    const earlier = first.get(key)
    if (earlier === undefined) {
      first.set(key, at)
      return []
    }
    const pointer = `/operations/${at}/${operation.verb === 'create' ? 'object/metadata/name' : 'name'}`
    const message = `is also in operations[${earlier}]; a batch has one operation per object`
    return [fieldError(pointer, 'unique', { message, params: { operation: earlier } })]
  })
}

function refuseLarge(at: number, object: unknown): void {
  if (object === undefined || Buffer.byteLength(JSON.stringify(object)) <= maxObjectBytes) return
  const message = `is larger than ${maxObjectBytes} bytes`
  const limit = maxObjectBytes
  const errors = [fieldError(`/operations/${at}/object`, 'size', { message, params: { limit } })]
  throw new ApiError('PayloadTooLarge', `operations[${at}]: the object ${message}`, {
    errors,
    params: { limit, operation: at },
  })
}
