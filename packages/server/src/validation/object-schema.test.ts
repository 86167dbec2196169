import { describe, expect, test } from 'vitest'
import { compileObjectSchema } from './compile-schema.ts'
import { closedSchema, structureOf, type JsonSchema, type ObjectSchema } from './object-schema.ts'
import { createValidate } from './schema-validator.ts'

const text = { type: 'string' }
const named = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const port = named({ port: { type: 'integer' } })
/** Not a literal, because an object with `then` could be mistaken for a promise. */
const branches = (condition: object, then: object, otherwise: object = {}): JsonSchema =>
  Object.fromEntries(Object.entries({ if: condition, else: otherwise }).concat([['then', then]]))

async function faultsOf(spec: JsonSchema, value: unknown, $defs: ObjectSchema['$defs'] = {}): Promise<string[]> {
  const schema = { properties: { spec }, $defs }
  const validate = await createValidate(async (thoroughness) => compileObjectSchema(schema, thoroughness))
  const faults = await validate({ metadata: {}, spec: value })
  return faults.map(({ pointer, rule }) => `${pointer} ${rule}`)
}

interface Row {
  readonly what: string
  readonly spec: JsonSchema
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly value: unknown
  /** Pointer and rule of each error. */
  readonly faults?: readonly string[]
}

const closed: readonly Row[] = [
  { what: 'an object that names its fields', spec: named({ a: text }), value: { b: 1 }, faults: ['/spec/b unknown'] },
  {
    what: 'an object with an empty list of fields',
    spec: named({}),
    value: { a: 1 },
    faults: ['/spec/a unknown'],
  },
  {
    what: 'an object in an object',
    spec: named({ a: named({ b: text }) }),
    value: { a: { c: 1 } },
    faults: ['/spec/a/c unknown'],
  },
  {
    what: 'the items of an array of arrays',
    spec: named({ a: { type: 'array', items: { type: 'array', items: named({ b: text }) } } }),
    value: { a: [[{ b: 'x' }, { c: 1 }]] },
    faults: ['/spec/a/0/1/c unknown'],
  },
  {
    what: 'items by their position',
    spec: named({ a: { type: 'array', prefixItems: [named({ b: text }), text] } }),
    value: { a: [{ c: 1 }, 'x'] },
    faults: ['/spec/a/0/c unknown'],
  },
  {
    what: 'the values of a map',
    spec: { type: 'object', additionalProperties: named({ b: text }) },
    value: { any: { b: 'x' }, other: { c: 1 } },
    faults: ['/spec/other/c unknown'],
  },
  {
    what: 'fields by a pattern, beside fields by name',
    spec: named({ a: text }, { patternProperties: { '^x-': named({ b: text }) } }),
    value: { a: 'x', 'x-1': { b: 'x' }, 'x-2': { c: 1 }, y: 1 },
    faults: ['/spec/y unknown', '/spec/x-2/c unknown'],
  },
  {
    what: 'an object by reference',
    spec: { $ref: '#/$defs/port' },
    $defs: { port },
    value: { port: 1, host: 'x' },
    faults: ['/spec/host unknown'],
  },
  {
    what: 'an object by a reference to a reference',
    spec: { $ref: '#/$defs/a~1b' },
    $defs: { port, 'a/b': { $ref: '#/$defs/port' } },
    value: { port: 1, host: 'x' },
    faults: ['/spec/host unknown'],
  },
  {
    what: 'an object composed with allOf',
    spec: { allOf: [port, named({ host: text })] },
    value: { port: 1, host: 'x', other: 1 },
    faults: ['/spec/other unknown'],
  },
  {
    what: 'an object with anyOf, to the fields of the matching alternative',
    spec: { anyOf: [named({ a: text }, { required: ['a'] }), named({ b: text }, { required: ['b'] })] },
    value: { a: 'x', c: 1 },
    faults: ['/spec/c unknown'],
  },
  {
    what: 'an object with if, to the fields of the matching branch',
    spec: named({ kind: text }, branches({ properties: { kind: { const: 'a' } } }, port, named({ b: text }))),
    value: { kind: 'a', port: 1, b: 'x' },
    faults: ['/spec/b unknown'],
  },
  {
    what: 'an object nested in an alternative',
    spec: { oneOf: [named({ tcp: port }, { required: ['tcp'] }), named({ unix: text }, { required: ['unix'] })] },
    value: { tcp: { port: 1, host: 'x' } },
    faults: ['/spec/tcp/host unknown'],
  },
]

const network = named({ mode: text, port: { type: 'integer' } })
const isTcp = { properties: { network: { properties: { mode: { const: 'tcp' } } } }, required: ['network'] }

/** Sub-schemas that only constrain a value described elsewhere do not close it. */
const besides: readonly Row[] = [
  {
    what: 'a condition on a nested field matches despite other fields',
    spec: named({ network }, branches(isTcp, { properties: { network: { required: ['port'] } } })),
    value: { network: { mode: 'tcp' } },
    faults: ['/spec/network/port required'],
  },
  {
    what: 'a condition on a nested field adds only its own errors',
    spec: named({ network }, branches(isTcp, { required: ['reason'] })),
    value: { network: { mode: 'tcp', port: 1 } },
    faults: ['/spec/reason required'],
  },
  {
    what: 'a branch can constrain a nested field',
    spec: named({ network }, branches(isTcp, { properties: { network: { properties: { port: { minimum: 9 } } } } })),
    value: { network: { mode: 'tcp', port: 10 } },
  },
  {
    what: 'allOf can constrain a nested field',
    spec: named({ network }, { allOf: [{ properties: { network: { properties: { port: { minimum: 9 } } } } }] }),
    value: { network: { mode: 'tcp', port: 10 } },
  },
  {
    what: 'two parts of allOf can each name fields of the same object',
    spec: { allOf: [named({ network: named({ mode: text }) }), named({ network: port })] },
    value: { network: { mode: 'tcp', port: 10 } },
  },
  {
    what: 'a sub-schema can constrain a referenced schema',
    spec: { $ref: '#/$defs/base', anyOf: [{ properties: { network: { properties: { port: { minimum: 9 } } } } }] },
    $defs: { base: named({ network }) },
    value: { network: { mode: 'tcp', port: 10 } },
  },
  {
    what: 'not matches despite other fields',
    spec: named({ network }, { not: isTcp }),
    value: { network: { mode: 'tcp', port: 1 } },
    faults: ['/spec not'],
  },
  {
    what: 'contains matches an item despite its other fields',
    spec: named({ all: { type: 'array', items: network, contains: { properties: { mode: { const: 'tcp' } } } } }),
    value: { all: [{ mode: 'tcp', port: 1 }] },
  },
  {
    what: 'fields of dependentSchemas are known',
    spec: named({ a: text }, { dependentSchemas: { a: named({ network }, { required: ['network'] }) } }),
    value: { a: 'x', network: { mode: 'tcp' } },
  },
  {
    what: 'objects in dependentSchemas are closed',
    spec: named({ a: text }, { dependentSchemas: { a: named({ network }) } }),
    value: { a: 'x', network: { other: 1 } },
    faults: ['/spec/network/other unknown'],
  },
]

const open: readonly Row[] = [
  { what: 'an object without named fields', spec: { type: 'object' }, value: { a: { b: [1] } } },
  { what: 'a value without a type', spec: {}, value: { a: 1 } },
  {
    what: 'an object with additionalProperties: true',
    spec: named({ a: text }, { additionalProperties: true }),
    value: { a: 'x', b: { c: 1 } },
  },
  {
    what: 'an object with unevaluatedProperties: true',
    spec: { ...named({ a: text }), unevaluatedProperties: true },
    value: { a: 'x', b: 1 },
  },
  {
    what: 'an object whose fields only have a pattern',
    spec: { type: 'object', patternProperties: { '^x-': text } },
    value: { 'x-1': 'x', y: 1 },
  },
  {
    what: 'a composed object without named fields',
    spec: { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    value: { a: 1, c: 1 },
  },
  {
    what: 'an object with only not',
    spec: { type: 'object', not: named({ a: { const: 1 } }, { required: ['a'] }) },
    value: { a: 2, b: 1 },
  },
  {
    what: 'a recursive reference',
    spec: { $ref: '#/$defs/node' },
    $defs: { node: named({ children: { type: 'array', items: { $ref: '#/$defs/node' } } }) },
    value: { children: [{ children: [] }, { children: [{}] }] },
  },
  {
    what: 'a field beside allOf',
    spec: named({ a: text }, { allOf: [{ required: ['a'] }, named({ b: text })] }),
    value: { a: 'x', b: 'x' },
  },
]

for (const [title, rows] of [
  ['unknown fields are rejected in', closed],
  ['unknown fields are accepted in', open],
  ['combined schemas:', besides],
] as const) {
  describe(title, () => {
    for (const { what, spec, $defs, value, faults = [] } of rows) {
      test(what, async () => expect(await faultsOf(spec, value, $defs)).toEqual(faults))
    }
  })
}

test('the top level accepts its own fields and the common ones, and no other', async () => {
  const schema = { properties: { spec: text }, required: ['spec'] }
  const validate = await createValidate(async (thoroughness) => compileObjectSchema(schema, thoroughness))
  expect(await validate({ apiVersion: 'v1', kind: 'Todo', metadata: {}, spec: 'x' })).toEqual([])
  expect(await validate({ extra: 1 })).toMatchObject([
    { pointer: '/spec', rule: 'required' },
    { pointer: '/extra', rule: 'unknown' },
  ])
})

test('the given schema is not modified', () => {
  const schema = { properties: { spec: named({ a: { allOf: [port] } }) }, $defs: { port } }
  const before = structuredClone(schema)
  closedSchema(schema)
  expect(schema).toEqual(before)
})

describe('the structure stage keeps', () => {
  const cases: readonly (readonly [what: string, schema: unknown, structure: unknown])[] = [
    ['types without constraints', { type: 'string', minLength: 1, format: 'date' }, { type: 'string' }],
    ['no allowed values', { enum: [1] }, {}],
    [
      'properties and required',
      { properties: { a: { const: 1, type: 'number' } }, required: ['a'], minProperties: 1 },
      { properties: { a: { type: 'number' } }, required: ['a'] },
    ],
    [
      'patternProperties and additionalProperties',
      { patternProperties: { a: { minimum: 1 } }, additionalProperties: { maximum: 1 } },
      { patternProperties: { a: {} }, additionalProperties: {} },
    ],
    ['additionalProperties: false', { additionalProperties: false }, { additionalProperties: false }],
    [
      'items without their limits',
      { items: { type: 'string', pattern: 'a' }, prefixItems: [{ minimum: 1 }, true], maxItems: 1, uniqueItems: true },
      { items: { type: 'string' }, prefixItems: [{}, true] },
    ],
    ['allOf', { allOf: [{ type: 'object', maxProperties: 1 }] }, { allOf: [{ type: 'object' }] }],
    ['no alternatives and no conditions', { anyOf: [{}], oneOf: [{}], not: {}, ...branches({}, {}) }, {}],
    [
      'references and their targets',
      { $ref: '#/$defs/a', $defs: { a: { type: 'string', maxLength: 1 } } },
      { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } },
    ],
    ['defaults, because they fill in what is required', { default: 1, minimum: 1 }, { default: 1 }],
    ['a field called like a keyword', { properties: { minimum: { minimum: 1 } } }, { properties: { minimum: {} } }],
    ['the schema true', true, true],
  ]
  for (const [what, schema, structure] of cases) {
    test(what, () => expect(structureOf(schema)).toEqual(structure))
  }
})
