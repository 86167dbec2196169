import type { ModelSpec, Schema } from '../conformance/models.ts'

const text = { type: 'string', maxLength: 60 }

/** Every type, every format, every limit. */
const gadgetFields: Readonly<Record<string, Schema>> = {
  title: { type: 'string', minLength: 1, maxLength: 100 },
  code: text,
  plate: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{1,4}$' },
  count: { type: 'integer', minimum: 0, maximum: 1_000_000 },
  serial: { type: 'integer', format: 'int64' },
  small: { type: 'integer', format: 'int32' },
  even: { type: 'integer', multipleOf: 2 },
  weight: { type: 'number', exclusiveMinimum: -1000, exclusiveMaximum: 1000 },
  ratio: { type: 'number', format: 'double' },
  active: { type: 'boolean' },
  nothing: { type: 'null' },
  maybe: { type: ['string', 'null'], maxLength: 20 },
  either: { type: ['integer', 'boolean'] },
  color: { type: 'string', enum: ['red', 'green', 'blue'], default: 'green' },
  fixed: { const: 'always' },
  seen: { type: 'string', format: 'date-time' },
  born: { type: 'string', format: 'date' },
  wakes: { type: 'string', format: 'time' },
  lasts: { type: 'string', format: 'duration' },
  mail: { type: 'string', format: 'email' },
  host: { type: 'string', format: 'hostname' },
  four: { type: 'string', format: 'ipv4' },
  six: { type: 'string', format: 'ipv6' },
  link: { type: 'string', format: 'uri' },
  path: { type: 'string', format: 'uri-reference' },
  id: { type: 'string', format: 'uuid' },
  place: { type: 'string', format: 'json-pointer' },
  bytes: { type: 'string', format: 'byte' },
  secret: { type: 'string', format: 'password', maxLength: 40 },
  tags: { type: 'array', items: text, maxItems: 20 },
  scores: { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 10 },
  set: { type: 'array', items: { type: 'integer', minimum: 0, maximum: 50 }, uniqueItems: true, maxItems: 10 },
  pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false, minItems: 2 },
  home: {
    type: 'object',
    properties: { street: text, number: { type: 'integer', minimum: 1, default: 1 } },
    required: ['street'],
  },
}

/** Definitions, recursive references, and combined schemas. */
const shapeSchema = {
  properties: {
    spec: {
      type: 'object',
      required: ['form'],
      properties: {
        form: { $ref: '#/$defs/Form' },
        named: { allOf: [{ $ref: '#/$defs/Named' }, { properties: { rank: { type: 'integer' } } }] },
        size: {
          anyOf: [
            { type: 'integer', minimum: 1 },
            { type: 'string', enum: ['small', 'large'] },
          ],
        },
        tree: { $ref: '#/$defs/Tree' },
        choice: {
          type: 'object',
          properties: { kind: { enum: ['a', 'b'] }, extra: text },
          required: ['kind'],
          if: { properties: { kind: { const: 'b' } } },
          // oxlint-disable-next-line unicorn/no-thenable -- a JSON Schema keyword
          then: { required: ['extra'] },
        },
      },
    },
    status: { type: 'object', properties: { phase: { type: 'string', maxLength: 20 } } },
  },
  $defs: {
    Form: {
      oneOf: [
        { type: 'object', required: ['radius'], properties: { radius: { type: 'number', minimum: 0, maximum: 1e6 } } },
        {
          type: 'object',
          required: ['width', 'height'],
          properties: { width: { type: 'number' }, height: { type: 'number' } },
        },
      ],
    },
    Named: { type: 'object', required: ['name'], properties: { name: text } },
    Tree: {
      type: 'object',
      required: ['value'],
      properties: {
        value: { type: 'integer' },
        children: { type: 'array', maxItems: 3, items: { $ref: '#/$defs/Tree' } },
      },
    },
  },
}

/** Maps with arbitrary keys, and a separate status. */
const noteSchema = {
  properties: {
    spec: {
      type: 'object',
      required: ['author'],
      properties: {
        author: text,
        anything: { type: 'object', additionalProperties: true },
        counts: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 }, maxProperties: 5 },
        settings: { type: 'object', patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
        keyed: {
          type: 'object',
          propertyNames: { pattern: '^[a-z]{1,8}$' },
          additionalProperties: { type: 'boolean' },
        },
        free: {},
        items: { type: 'array', items: { type: 'object', additionalProperties: true }, maxItems: 5 },
      },
    },
    status: {
      type: 'object',
      required: ['phase'],
      properties: { phase: { enum: ['Pending', 'Done'] }, count: { type: 'integer', minimum: 0 } },
    },
  },
}

/** Names that are special in other places. */
const oddNames = {
  properties: {
    spec: {
      type: 'object',
      properties: {
        constructor: { $ref: '#/$defs/a b' },
        toString: { $ref: '#/$defs/a~1b' },
        $ref: text,
        'a.b': text,
        'x-ä': { type: 'object', properties: { default: text }, default: { default: '#/$defs/a b' } },
      },
    },
    status: { type: 'object', properties: { phase: text } },
  },
  $defs: { 'a b': { type: 'string', maxLength: 10 }, 'a/b': { type: 'boolean' } },
}

const group = 'fuzz.example.com'

function model(kind: string, plural: string, schema: Schema, rest: Partial<ModelSpec> = {}): ModelSpec {
  const versions = [{ name: 'v1alpha1', schema }]
  return { group, kind, singular: kind.toLowerCase(), plural, specRequired: true, versions, ...rest }
}

export const sampleModels: readonly ModelSpec[] = [
  model(
    'Gadget',
    'gadgets',
    {
      properties: {
        spec: { type: 'object', properties: gadgetFields, required: ['title'] },
        status: { type: 'object', properties: { phase: { type: 'string' }, count: { type: 'integer' } } },
      },
    },
    {
      indexes: [
        { name: 'spec.title' },
        { name: 'spec.count', order: 'DESC' },
        { name: 'spec.weight' },
        { name: 'spec.active' },
        { name: 'spec.seen' },
        { name: 'spec.tags' },
        { name: 'spec.scores' },
        { name: 'spec.code', unique: true },
        { name: 'status.phase' },
      ],
      composites: [['spec.title', 'spec.count desc']],
    },
  ),
  model('Shape', 'shapes', shapeSchema, { indexes: [{ name: 'spec.tree.value' }] }),
  model('Note', 'notes', noteSchema, {
    statusSubresource: true,
    indexes: [{ name: 'spec.author' }, { name: 'status.count' }],
  }),
  // Named like parts of an OpenAPI document.
  model('Problem', 'problems', oddNames, { statusSubresource: true }),
  model('ProblemList', 'problemlists', oddNames),
  model('Bare', 'bares', { properties: { spec: { type: 'object', properties: { text } } } }, { specRequired: false }),
]
