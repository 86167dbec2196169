import type { Model } from '../models/model.ts'
import { problems } from '@pergola/api'
import { closedSchema, isSchema, type JsonSchema } from '../validation/object-schema.ts'

const readOnly = { readOnly: true }
const strings = { type: 'object', additionalProperties: { type: 'string' } }

/** Schemas that all models share. */
export const sharedSchemas: Readonly<Record<string, JsonSchema>> = {
  Metadata: {
    type: 'object',
    description:
      'What every object has. The server owns the fields that are read-only; what is sent in them is ignored, but for version and uid on an update.',
    required: ['name', 'uid', 'version', 'generation', 'creationTimestamp'],
    properties: {
      name: {
        type: 'string',
        maxLength: 253,
        pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
        description: 'Unique among the objects of a model.',
      },
      generateName: {
        type: 'string',
        writeOnly: true,
        description: 'Taken with eight random letters and digits when there is no name.',
      },
      uid: { type: 'string', format: 'uuid', ...readOnly, description: 'Never used again, also when the name is.' },
      version: {
        type: 'integer',
        minimum: 0,
        ...readOnly,
        description: 'Counts stored changes, from 0 on. An update that carries another one than is stored fails.',
      },
      generation: {
        type: 'integer',
        minimum: 1,
        ...readOnly,
        description: 'Counts changes of anything but metadata and status.',
      },
      creationTimestamp: { type: 'string', format: 'date-time', ...readOnly },
      deletionTimestamp: {
        type: 'string',
        format: 'date-time',
        ...readOnly,
        description: 'Set while finalizers keep the object from being removed.',
      },
      labels: { ...strings, maxProperties: 64, description: 'Can be selected by.' },
      annotations: { ...strings, description: 'Not indexed; 256 KiB in all.' },
      finalizers: {
        type: 'array',
        maxItems: 32,
        items: { type: 'string' },
        description: 'Who has to agree before the object is removed.',
      },
    },
  },
  Problem: {
    type: 'object',
    description: 'Why a request failed, as RFC 9457 has it. Branch on reason.',
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
          required: ['pointer', 'field', 'rule', 'message'],
          properties: {
            pointer: { type: 'string', description: 'JSON Pointer into the body.' },
            field: { type: 'string' },
            rule: { type: 'string' },
            message: { type: 'string' },
            params: { type: 'object' },
          },
        },
      },
    },
  },
  DeletedCollection: {
    type: 'object',
    required: ['deleted', 'pending', 'remaining'],
    properties: {
      deleted: { type: 'integer', description: 'Objects that are gone.' },
      pending: { type: 'integer', description: 'Objects that wait for their finalizers.' },
      remaining: { type: 'boolean', description: 'Whether the time was up before all were met; ask again.' },
    },
  },
}

/** The schemas of one model: its kind, its list, and its named parts as `<Kind>.<name>`. */
export function modelSchemas(model: Model): Readonly<Record<string, JsonSchema>> {
  const { kind, apiVersion, definition } = model
  const closed = closedSchema(definition.schema)
  const {
    properties,
    required,
    $defs = {},
    ...rest
  } = closed as {
    properties: Record<string, JsonSchema>
    required: readonly string[]
    $defs?: Record<string, JsonSchema>
  }
  const parts = Object.entries($defs).map(([name, schema]) => [`${kind}.${name}`, withReferences(schema, kind)])
  const object = {
    ...rest,
    required: ['apiVersion', 'kind', 'metadata', ...required],
    properties: {
      ...(withReferences(properties, kind) as Record<string, JsonSchema>),
      apiVersion: { const: apiVersion, ...readOnly },
      kind: { const: kind, ...readOnly },
      metadata: { $ref: '#/components/schemas/Metadata' },
    },
  }
  return { [kind]: object, [`${kind}List`]: listSchema(model), ...Object.fromEntries(parts) }
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
      apiVersion: { const: apiVersion },
      kind: { const: `${kind}List` },
      page: { type: 'integer', minimum: 1 },
      size: count,
      total: count,
      totalIsEstimate: flag,
      totalPages: count,
      first: flag,
      last: flag,
      hasNext: flag,
      hasPrevious: flag,
      continue: { type: 'string', description: 'Give it back alone to read the next page at the same cost.' },
      revision: { type: 'string', description: 'The place of this list in the order of changes.' },
      items: { type: 'array', items: { $ref: `#/components/schemas/${kind}` } },
    },
  }
}

/** A model's own definitions stand among the components of all. */
function withReferences(schema: unknown, kind: string): unknown {
  if (Array.isArray(schema)) return schema.map((one) => withReferences(one, kind))
  if (!isSchema(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === '$ref' && typeof value === 'string') {
        return [keyword, value.replace('#/$defs/', `#/components/schemas/${kind}.`)]
      }
      return [keyword, withReferences(value, kind)]
    }),
  )
}
