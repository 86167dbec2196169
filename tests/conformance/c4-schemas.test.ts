import { describe, expect, test } from 'vitest'
import { openApiPath, type OpenApiDocument } from './documents.ts'
import { freshModel, modelObject, modelsPath, schemaOf, versionsOf, type ModelSpec, type Schema } from './models.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { onEachEngine, type Api } from './server.ts'

const text = { type: 'string' }
const versions = (schema: Schema): ModelSpec['versions'] => [{ name: 'v1alpha1', schema }]

async function register(api: Api, schema: Schema): Promise<Answer> {
  const spec = freshModel({ versions: versions(schema), indexes: [], composites: [] })
  return api.request('POST', modelsPath, { body: modelObject(spec) })
}

/** A schema of exactly this many bytes. */
function schemaOfSize(bytes: number): Schema {
  const around = JSON.stringify(schemaOf({ city: { ...text, description: '' } })).length
  return schemaOf({ city: { ...text, description: 'x'.repeat(bytes - around) } })
}

/** Nested arrays. Three more levels surround them: the schema itself, `spec` and its field. */
function nested(levels: number): Schema {
  return levels === 0 ? text : { type: 'array', items: nested(levels - 1) }
}

/** Nested objects, which take two levels of JSON each. */
function nestedObjects(levels: number): Schema {
  return levels === 0 ? text : { type: 'object', properties: { a: nestedObjects(levels - 1) } }
}

/** Arrays in arrays, as JSON text. */
const brackets = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, text]))
const unique = (maxItems?: number) => ({
  type: 'array',
  items: text,
  uniqueItems: true,
  ...(maxItems !== undefined && { maxItems }),
})
const address = { type: 'object', properties: { street: text, number: { type: 'integer', minimum: 1 } } }
const named = { ...schemaOf({ city: text, home: { $ref: '#/$defs/Address' } }), $defs: { Address: address } }

type Row = readonly [numbers: string, what: string, schema: Schema]

const taken: readonly Row[] = [
  ['C4-15', '256 KiB', schemaOfSize(262_144)],
  ['C4-16', '32 levels', schemaOf({ city: nested(29) })],
  ['C4-17', '1,900 fields', schemaOf(fields(1_900))],
  ['C4-18 S2.4-11', 'a reference to its own type', named],
  ['C4-19', 'known formats', schemaOf({ city: { ...text, format: 'date-time' }, b: { ...text, format: 'uuid' } })],
  ['C4-20', 'uniqueItems with maxItems 1,000', schemaOf({ city: unique(1_000) })],
]

const refused: readonly Row[] = [
  ['C4-15', 'one byte more than 256 KiB', schemaOfSize(262_145)],
  ['C4-16', '33 levels', schemaOf({ city: nested(30) })],
  ['C4-17', '2,001 fields', schemaOf(fields(2_001))],
  ['C4-18', 'a reference to another URL', schemaOf({ city: { $ref: 'https://example.com/a.json' } })],
  ['C4-18', 'a reference to another file', schemaOf({ city: { $ref: 'other.json#/a' } })],
  ['C4-19', 'an unknown format', schemaOf({ city: { ...text, format: 'shoe-size' } })],
  ['C4-20', 'uniqueItems without maxItems', schemaOf({ city: unique() })],
  ['C4-20', 'uniqueItems with maxItems 1,001', schemaOf({ city: unique(1_001) })],
  ['C4-21', 'a back reference', schemaOf({ city: { ...text, pattern: String.raw`^(a)\1$` } })],
  ['C4-21', 'a look-ahead', schemaOf({ city: { ...text, pattern: '^(?=a)' } })],
  ['C4-21', 'a look-behind', schemaOf({ city: { ...text, pattern: '(?<!a)b' } })],
  ['C4-23', 'a limit that is not a number', schemaOf({ city: { ...text, minLength: 'two' } })],
  ['C4-23', 'a reference to a missing definition', schemaOf({ city: { $ref: '#/$defs/Nobody' } })],
  ['C4-23', 'an invalid pattern', schemaOf({ city: { ...text, pattern: '(' } })],
]

/** A value of the sample model, and whether it is accepted. */
const values: readonly (readonly [numbers: string, spec: Record<string, unknown>, taken: boolean])[] = [
  ['S2.4-4', { nick: 'ab' }, true],
  ['S2.4-4', { nick: 'a' }, false],
  ['S2.4-5', { nick: 'abcd' }, true],
  ['S2.4-5', { nick: 'abcde' }, false],
  ['S2.4-6', { age: 0 }, true],
  ['S2.4-6', { age: -1 }, false],
  ['S2.4-7', { age: 200 }, true],
  ['S2.4-7', { age: 201 }, false],
  ['S2.4-8', { born: '2024-02-29' }, true],
  ['S2.4-8', { born: '2023-02-29' }, false],
  ['S2.4-9', { wakes: '06:30:00Z' }, true],
  ['S2.4-9', { wakes: '26:30:00Z' }, false],
  ['S2.4-10', { mail: 'a@example.com' }, true],
  ['S2.4-10', { mail: 'example.com' }, false],
  ['S2.4-12', { size: 'small' }, true],
  ['S2.4-12', { size: 'medium' }, false],
  ['S2.4-13', { home: { street: 's', number: 1 } }, true],
  ['S2.4-13', { home: { street: 's', number: 0 } }, false],
  ['S2.4-13', { home: { number: 1 } }, false],
  ['S2.4-14', { plate: 'AB-12' }, true],
  ['S2.4-14', { plate: 'ab-12' }, false],
]

onEachEngine((api) => {
  describe('a schema is accepted with', () => {
    for (const [numbers, what, schema] of taken) {
      test(`${numbers} ${what}`, async () => {
        expectStatus(await register(api, schema), 201)
      })
    }
  })

  describe('a schema is rejected with', () => {
    for (const [numbers, what, schema] of refused) {
      test(`${numbers} ${what}`, async () => {
        expectProblem(await register(api, schema), 422, 'Invalid')
      })
    }
  })

  test('C9-213 a body of a model has up to 160 levels, which a schema of 32 levels fits into; others have 64', async () => {
    const made = await register(api, schemaOf({ city: nestedObjects(29) }))
    expectStatus(made, 201)
    const { metadata } = made.body as { metadata: { name: string } }
    const steps = [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]
    const headers = { 'content-type': 'application/json-patch+json' }
    expectStatus(await api.request('PATCH', `${modelsPath}/${metadata.name}`, { body: steps, headers }), 200)
    const things = await api.things()
    const send = (path: string, levels: number) => api.request('POST', path, { body: `{"a":${brackets(levels - 1)}}` })
    for (const [path, most] of [
      [modelsPath, 160],
      [things.path, 64],
    ] as const) {
      expectProblem(await send(path, most), 422, 'Invalid')
      const answer = await send(path, most + 1)
      expectProblem(answer, 400, 'BadRequest')
      expect(answer.text).toContain(`${most} levels`)
    }
  })

  for (const [numbers, spec, isTaken] of values) {
    test(`${numbers} ${JSON.stringify(spec)} is ${isTaken ? 'accepted' : 'rejected'}`, async () => {
      const things = await api.things()
      const answer = await things.create({ spec })
      expectStatus(answer, isTaken ? 201 : 422)
      const [field = ''] = Object.keys(spec)
      if (isTaken) expect(answer.body).toMatchObject({ spec })
      else expect(answer.text).toContain(`/spec/${field}`)
    })
  }

  test('S2.4-1 S2.4-2 descriptions and examples do not affect validation', async () => {
    const described = { ...text, description: 'where', example: 'Rome' }
    const models = await api.model({ versions: versionsOf({ city: described }), indexes: [], composites: [] })
    expectStatus(await models.create({ spec: { city: 'Oslo' } }), 201)
  })

  test('S2.4-3 an object without a required field is rejected', async () => {
    const things = await api.things()
    const answer = await api.request('POST', things.path, { body: { metadata: { generateName: 'r-' }, spec: {} } })
    expectProblem(answer, 422, 'Invalid')
    expect(answer.body).toMatchObject({ errors: [{ pointer: '/spec/city', rule: 'required' }] })
  })

  test('C4-14 a schema is JSON Schema 2020-12', async () => {
    const pair = { type: 'array', prefixItems: [text, { type: 'integer' }], items: false, minItems: 2, maxItems: 2 }
    const city = { type: ['string', 'null'] }
    const models = await api.model({ versions: versionsOf({ city, pair }), indexes: [], composites: [] })
    expectStatus(await models.create({ spec: { city: null, pair: ['a', 1] } }), 201)
    expectStatus(await models.create({ spec: { pair: [1, 'a'] } }), 422)
    expectStatus(await models.create({ spec: { city: 1 } }), 422)
  })

  test('C4-22 matching a pattern takes no more than linear time', async () => {
    const city = { ...text, pattern: '^(a+)+$' }
    const models = await api.model({ versions: versionsOf({ city }), indexes: [], composites: [] })
    expectStatus(await models.create({ spec: { city: `${'a'.repeat(20_000)}!` } }), 422)
  })

  test('C4-23 a schema with an unknown type is rejected and the model is not registered', async () => {
    const spec = freshModel({ versions: versionsOf({ city: { type: 'strin' } }), indexes: [], composites: [] })
    expectProblem(await api.request('POST', modelsPath, { body: modelObject(spec) }), 422, 'Invalid')
    expectProblem(await api.request('GET', `/apis/test.example.com/v1alpha1/${spec.plural}`), 404, 'ModelNotFound')
  })

  test('C4-24 S2.4-11 a named type can be referenced and becomes a component of the OpenAPI document', async () => {
    const models = await api.model({ versions: versions(named), indexes: [], composites: [] })
    expectStatus(await models.create({ spec: { home: { street: 's', number: 1 } } }), 201)
    expectStatus(await models.create({ spec: { home: { number: 0 } } }), 422)
    const answer = await api.request('GET', await openApiPath(api, 'test.example.com/v1alpha1'))
    const { components } = answer.body as OpenApiDocument
    expect(Object.keys(components.schemas)).toContain(`${models.spec.kind}.Address`)
  })
})
