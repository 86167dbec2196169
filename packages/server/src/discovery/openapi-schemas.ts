import type { Model } from '../models/model.ts'
import { problems } from '@pergola/api'
import { inputSchema } from './input-schema.ts'
import { mapSchema } from './map-schema.ts'
import { definitionName, reference, type FreeName } from './openapi-names.ts'
import { closedSchema, type JsonSchema } from '../validation/object-schema.ts'

const readOnly = { readOnly: true }
const strings = { type: 'object', additionalProperties: { type: 'string' } }

/** Metadata fields of every object; the server owns the read-only ones. */
const metadataFields: Readonly<Record<string, JsonSchema>> = {
  name: {
    type: 'string',
    maxLength: 253,
    pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
    description: 'Unique among the objects of a model.',
  },
  uid: {
    type: 'string',
    format: 'uuid',
    ...readOnly,
    description: 'Unique for all time: a later object with the same name has another uid.',
  },
  version: {
    type: 'integer',
    minimum: 0,
    ...readOnly,
    description: 'The number of stored changes, from 0. An update with a different version than the stored one fails.',
  },
  generation: {
    type: 'integer',
    minimum: 1,
    ...readOnly,
    description: 'The number of changes outside of metadata and status.',
  },
  creationTimestamp: { type: 'string', format: 'date-time', ...readOnly },
  deletionTimestamp: {
    type: 'string',
    format: 'date-time',
    ...readOnly,
    description: 'Set while finalizers keep the object from being removed.',
  },
  labels: { ...strings, maxProperties: 64, description: 'Labels can be used in selectors.' },
  annotations: { ...strings, description: 'Not indexed; at most 256 KiB in total.' },
  finalizers: {
    type: 'array',
    maxItems: 32,
    items: { type: 'string' },
    description: 'Controllers that must finish their cleanup before the object is removed.',
  },
}

/** Schemas that all models share. */
export const sharedSchemas: Readonly<Record<string, JsonSchema>> = {
  Metadata: {
    type: 'object',
    description: 'Metadata that every object has.',
    required: ['name', 'uid', 'version', 'generation', 'creationTimestamp'],
    properties: metadataFields,
  },
  SentMetadata: {
    type: 'object',
    description:
      'What a client may say of it. The fields that are read-only are ignored, but for version and uid on an update.',
    properties: {
      ...metadataFields,
      generateName: {
        type: 'string',
        writeOnly: true,
        description:
          'A prefix for a generated name, used when there is no name: eight random letters and digits are appended.',
      },
    },
    additionalProperties: false,
  },
  Problem: {
    type: 'object',
    description: 'Why a request failed, as a problem of RFC 9457. Programs should compare `reason`.',
    required: ['type', 'title', 'status', 'detail', 'instance', 'reason', 'requestId'],
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string', description: 'What happened, and what to do.' },
      instance: { type: 'string' },
      reason: { type: 'string', enum: Object.keys(problems) },
      requestId: { type: 'string' },
      errors: {
        type: 'array',
        items: {
          type: 'object',
          required: ['field', 'rule', 'message'],
          properties: {
            pointer: {
              type: 'string',
              description: 'JSON Pointer into the body as it was sent; absent when the fault is not in the body.',
            },
            field: { type: 'string' },
            rule: { type: 'string' },
            message: { type: 'string' },
            params: { type: 'object', additionalProperties: true },
          },
        },
      },
      params: {
        type: 'object',
        additionalProperties: true,
        description: 'The values in `detail`, for a sentence in another language.',
      },
      stored: {
        type: 'object',
        description: 'With `VersionConflict`: the state of the object that has changed.',
        required: ['uid', 'version'],
        properties: { uid: { type: 'string', format: 'uuid' }, version: { type: 'integer' } },
      },
      referrers: {
        type: 'array',
        description: 'With `InUse`: the objects that refer to the one to be deleted, by model and field.',
        items: {
          type: 'object',
          properties: {
            resource: { type: 'string', description: '`<plural>.<group>` of the objects.' },
            path: { type: 'string', description: 'The field that refers, such as `spec.event`.' },
            count: { type: 'integer', description: 'Number of objects, at most 1,000.' },
            names: { type: 'array', items: { type: 'string' }, description: 'At most 20 of their names.' },
            hidden: { type: 'boolean', description: 'True for objects that the caller may not list.' },
          },
        },
      },
    },
  },
  DeletedCollection: {
    type: 'object',
    required: ['deleted', 'pending', 'refused', 'remaining'],
    properties: {
      deleted: { type: 'integer', description: 'Objects that were removed.' },
      pending: {
        type: 'integer',
        description: 'Selected objects that are kept until their finalizers are removed, also those deleted before.',
      },
      refused: { type: 'integer', description: 'Objects that are kept because other objects refer to them.' },
      remaining: {
        type: 'boolean',
        description: 'Whether the time limit was reached before all objects were processed; send the request again.',
      },
    },
  },
}

/**
 * The schemas of one model: its kind in answers and as input, its list, and its definitions as `<Kind>.<name>` and
 * `<Kind>Input.<name>`.
 */
export function modelSchemas(model: Model, freeName: FreeName): Readonly<Record<string, JsonSchema>> {
  const { kind, apiVersion, definition, statusSubresource, rules } = model
  const closed = closedSchema(definition.schema)
  const { properties, required, $defs, ...rest } = withReferences(closed, kind) as ClosedSchema
  const input = freeName(`${kind}Input`)
  const sentBody = withReferences(inputSchema(closed), input) as ClosedSchema
  const type = { apiVersion: { type: 'string', const: apiVersion }, kind: { type: 'string', const: kind } }
  const sent = { ...type, metadata: reference(freeName('SentMetadata')) }
  const { status } = sentBody.properties
  // The status in this input is ignored.
  const ignored = statusSubresource && status ? { status: { ...status, readOnly: true } } : {}
  return {
    [kind]: {
      ...rest,
      required: ['apiVersion', 'kind', 'metadata', ...required],
      properties: { ...properties, ...type, metadata: reference(freeName('Metadata')) },
    },
    [input]: {
      ...rest,
      required: sentBody.required,
      properties: { ...sentBody.properties, ...ignored, ...sent },
    },
    ...(statusSubresource &&
      !rules.ownsStatus && {
        [freeName(`${kind}StatusInput`)]: {
          type: 'object',
          description: 'Only the status is changed; all other fields are ignored.',
          properties: { ...sent, ...(status && { status }) },
        },
      }),
    [freeName(`${kind}List`)]: listSchema(model),
    ...partsOf(kind, $defs),
    ...partsOf(input, sentBody.$defs),
  }
}

function partsOf(owner: string, definitions: ClosedSchema['$defs'] = {}): Readonly<Record<string, JsonSchema>> {
  const parts = Object.entries(definitions)
  return Object.fromEntries(parts.map(([name, schema]) => [definitionName(owner, name), schema]))
}

interface ClosedSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

function listSchema({ kind, apiVersion }: Model): JsonSchema {
  const flag = { type: 'boolean' }
  const count = { type: 'integer', minimum: 0 }
  return {
    type: 'object',
    required: [
      'apiVersion',
      'kind',
      'page',
      'size',
      'total',
      'totalIsEstimate',
      'totalPages',
      'first',
      'last',
      'hasNext',
      'hasPrevious',
      'revision',
      'items',
    ],
    properties: {
      apiVersion: { type: 'string', const: apiVersion },
      kind: { type: 'string', const: `${kind}List` },
      page: { type: 'integer', minimum: 1 },
      size: count,
      total: count,
      totalIsEstimate: flag,
      totalPages: count,
      first: flag,
      last: flag,
      hasNext: flag,
      hasPrevious: flag,
      continue: {
        type: 'string',
        description: 'Send it as the only parameter to read the next page; every page costs the same.',
      },
      revision: { type: 'string', description: 'The revision of this list; a watch can start from it.' },
      items: { type: 'array', items: reference(kind) },
      expanded: {
        type: 'object',
        description: 'With `expand`: the objects that the items refer to, by `<plural>.<group>` and name.',
        additionalProperties: { type: 'object', additionalProperties: { type: 'object', additionalProperties: true } },
      },
      expandedIsPartial: {
        type: 'boolean',
        description: 'True if `expanded` lacks some objects because there are too many.',
      },
      referrers: {
        type: 'object',
        description:
          'With `referrers`: by `<plural>.<group>/<path>` and name of an item, how many objects refer to it.',
        additionalProperties: { type: 'object', additionalProperties: { ...count, maximum: 1_000 } },
      },
    },
  }
}

/** Points a model's references to its components; those for input are separate. */
function withReferences(schema: unknown, owner: string): unknown {
  return mapSchema(schema, (one) =>
    typeof one['$ref'] === 'string' ? { ...one, $ref: componentOf(one['$ref'], owner) } : one,
  )
}

function componentOf(pointer: string, owner: string): string {
  const name = pointer.replace('#/$defs/', '').replaceAll('~1', '/').replaceAll('~0', '~')
  return reference(definitionName(owner, name)).$ref
}
