import { describe, expect, test } from 'vitest'
import { compileObjectSchema, type Thoroughness } from './compile-schema.ts'
import type { JsonSchema } from './object-schema.ts'
import { compileSchema, createValidate } from './schema-validator.ts'

test('all errors are reported at once, with pointer, rule and message', () => {
  const validate = compileSchema({
    type: 'object',
    properties: {
      title: { type: 'string', maxLength: 3 },
      state: { enum: ['open', 'done'] },
      tags: { type: 'array', minItems: 1, items: { type: ['string', 'null'] } },
      owner: {},
    },
    required: ['owner'],
    additionalProperties: false,
  })
  expect(
    validate({ title: 'long', state: 'shut', tags: [1], 'a/b': 1 }).map(({ pointer, rule, message }) => [
      pointer,
      rule,
      message,
    ]),
  ).toEqual([
    ['/owner', 'required', 'is required'],
    ['/a~1b', 'unknown', 'is not a known field'],
    ['/title', 'maxLength', 'must have at most 3 characters'],
    ['/state', 'enum', 'must be one of open, done'],
    ['/tags/0', 'type', 'must be of type string, null'],
  ])
  expect(validate({ owner: 1, tags: [] })).toMatchObject([
    { rule: 'minItems', message: 'must have at least 1 item', params: { limit: 1 } },
  ])
  expect(validate({ owner: 1 })).toEqual([])
})

test('a value with a million errors is rejected quickly with a small result', () => {
  const validate = compileSchema({ type: 'array', items: { type: 'object' } })
  let reads = 0
  const item = Object.defineProperty({}, 'a', { enumerable: true, get: () => (reads++, 1) })
  const readItems = compileSchema({ type: 'array', items: { properties: { a: { type: 'string' } } } })
  expect(readItems(Array.from({ length: 500_000 }, () => item))).toHaveLength(1)
  expect(reads).toBeLessThan(6_000)
  expect(validate(Array.from({ length: 4_000 }, () => 1))).toHaveLength(100)
})

test('a pattern that would backtrack terminates', () => {
  const validate = compileSchema({ type: 'string', pattern: '^(a+)+$' })
  // A backtracking engine would need 2^50,000 steps.
  expect(validate(`${'a'.repeat(50_000)}!`)).toHaveLength(1)
})

test('a pattern that needs backtracking is rejected when the schema is compiled', () => {
  expect(() => compileSchema({ type: 'string', pattern: '(a)\\1' })).toThrow(/invalid escape/)
})

const text = { type: 'string' }

function validateOf(spec: JsonSchema, compiled: Thoroughness[] = []) {
  const schema = { properties: { spec } }
  return createValidate(async (thoroughness) => {
    compiled.push(thoroughness)
    return compileObjectSchema(schema, thoroughness)
  })
}

test('defaults are filled in at every depth, and satisfy required', async () => {
  const validate = await validateOf({
    type: 'object',
    properties: {
      a: { ...text, default: 'x' },
      list: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer', default: 7 } } } },
    },
    required: ['a'],
  })
  const object = { spec: { list: [{}, { n: 1 }] } }
  expect(await validate(object)).toEqual([])
  expect(object).toEqual({ spec: { a: 'x', list: [{ n: 7 }, { n: 1 }] } })
})

test('constraints of sound values come after the errors of the structure', async () => {
  const validate = await validateOf({ type: 'object', properties: { a: { ...text, maxLength: 1 }, b: text } })
  expect(await validate({ spec: { a: 'long', b: 1, c: 1 } })).toMatchObject([
    { pointer: '/spec/c', rule: 'unknown' },
    { pointer: '/spec/b', rule: 'type' },
    { pointer: '/spec/a', rule: 'maxLength' },
  ])
})

describe('for an object stored before its schema became stricter,', () => {
  const needsReason: JsonSchema = {
    type: 'object',
    properties: { state: text, reason: text },
    if: { properties: { state: { not: { const: 'failed' } } } },
    else: { required: ['reason'] },
  }
  const fields = (properties: object, more: object = {}): JsonSchema => ({ type: 'object', properties, ...more })
  const short = { ...text, maxLength: 1 }
  const cases: readonly (readonly [
    what: string,
    schema: JsonSchema,
    stored: unknown,
    sent: unknown,
    pointers: readonly string[],
  ])[] = [
    ['an unchanged invalid value passes', fields({ a: short, b: text }), { a: 'xx' }, { a: 'xx', b: 'y' }, []],
    ['a changed invalid value does not pass', fields({ a: short }), { a: 'xx' }, { a: 'yy' }, ['/spec/a']],
    ['a valid value passes', fields({ a: short }), { a: 'xx' }, { a: 'y' }, []],
    ['an unchanged unknown field passes', fields({ b: text }), { a: { c: 1 } }, { a: { c: 1 }, b: 'y' }, []],
    ['a changed unknown field does not pass', fields({ b: text }), { a: { c: 1 } }, { a: { c: 2 } }, ['/spec/a']],
    ['a new unknown field does not pass', fields({ b: text }), { a: 1 }, { a: 1, z: 1 }, ['/spec/z']],
    ['an unchanged wrong type passes', fields({ a: text, b: text }), { a: 1 }, { a: 1, b: 'y' }, []],
    [
      'a violated constraint is reported even if an old structure error passes',
      fields({ a: text, b: short }),
      { a: 1, b: 'x' },
      { a: 1, b: 'yy' },
      ['/spec/b'],
    ],
    [
      'a required field that is still missing passes',
      fields({ a: text, b: text }, { required: ['a'] }),
      {},
      { b: 'y' },
      [],
    ],
    ['a removed required field does not pass', fields({ a: text }, { required: ['a'] }), { a: 'x' }, {}, ['/spec/a']],
    [
      'a field that a new value requires is reported',
      needsReason,
      { state: 'running' },
      { state: 'failed' },
      ['/spec/reason'],
    ],
    ['a field that was missing before is not reported', needsReason, { state: 'failed' }, { state: 'failed' }, []],
    [
      'an invalid item that moves does not pass',
      fields({ a: { type: 'array', items: short } }),
      { a: ['xx', 'y'] },
      { a: ['y', 'xx'] },
      ['/spec/a/1'],
    ],
    ['an unchanged invalid spec passes', { ...text, enum: ['a'] }, 'b', 'b', []],
  ]
  for (const [what, schema, stored, sent, pointers] of cases) {
    test(what, async () => {
      const validate = await validateOf(schema)
      const before = structuredClone(stored)
      const faults = await validate({ spec: sent }, { stored: { spec: stored } })
      expect(faults.map(({ pointer }) => pointer)).toEqual(pointers)
      expect(stored).toEqual(before)
    })
  }
})

test('a large object gets only its first error, by code that is compiled on demand', async () => {
  const compiled: Thoroughness[] = []
  const validate = await validateOf({ type: 'array', items: text }, compiled)
  expect(await validate({ spec: Array.from({ length: 4_000 }, () => 1) })).toHaveLength(100)
  expect(compiled).toEqual(['every fault'])
  const large = Array.from({ length: 5_000 }, () => 1)
  expect(await validate({ spec: large })).toMatchObject([{ pointer: '/spec/0', rule: 'type' }])
  expect(await validate({ spec: large.map(String) })).toEqual([])
  expect(compiled).toEqual(['every fault', 'first fault'])
})

test('a large object keeps its stored errors, and gets new ones reported', async () => {
  const validate = await validateOf({ type: 'array', items: text })
  const stored = Array.from({ length: 5_000 }, () => 1)
  expect(await validate({ spec: stored }, { stored: { spec: stored } })).toEqual([])
  expect(await validate({ spec: stored.with(4_999, 2) }, { stored: { spec: stored } })).toMatchObject([
    { pointer: '/spec/4999' },
  ])
})

test('fields of a failed alternative are not reported as unknown', async () => {
  const validate = await validateOf({ allOf: [{ type: 'object', properties: { a: text } }] })
  expect(await validate({ spec: { a: 1 } })).toMatchObject([{ pointer: '/spec/a', rule: 'type' }])
})
