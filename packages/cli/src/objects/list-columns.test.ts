import { describe, expect, test } from 'vitest'
import { columnsOf } from './list-columns.ts'

const text = { type: 'string' }
const heads = (schema: object) => columnsOf(schema as never).map(({ head }) => head)
const withSpec = (properties: object) => ({ properties: { spec: { type: 'object', properties } } })

describe('a table shows', () => {
  test('title, owner, state and dates before other fields', () => {
    const todo = {
      note: { type: 'string', maxLength: 10_000 },
      title: text,
      state: { enum: ['open', 'done'] },
      owner: text,
      start: { type: 'string', format: 'date-time' },
      due: { type: 'string', format: 'date-time' },
      tags: { type: 'array', items: text },
      shareCode: { type: 'string', pattern: '^[0-9a-f]{8}$' },
    }
    expect(heads(withSpec(todo))).toEqual(['TITLE', 'OWNER', 'STATE', 'START', 'DUE'])
  })

  test.each([
    ['at most five fields', Object.fromEntries('abcdefg'.split('').map((name) => [name, text])), 'A B C D E'],
    ['camel-case field names as separate words', { displayName: text }, 'DISPLAY NAME'],
    [
      'the path of a field whose name is that of another column',
      { name: text, age: { type: 'integer' } },
      'SPEC.NAME SPEC.AGE',
    ],
    ['the name inside an object field', { target: { type: 'object', properties: { name: text } } }, 'TARGET'],
    [
      'no objects and no lists of objects without a name',
      { a: { type: 'object' }, b: { type: 'array', items: {} } },
      '',
    ],
    ['no secrets and no digests', { token: { ...text, writeOnly: true }, digest: text }, ''],
    ['no column for an unresolvable reference', { a: { $ref: '#/components/schemas/Nothing' } }, ''],
  ])('%s', (_what, properties, expected) => expect(heads(withSpec(properties)).join(' ')).toBe(expected))

  test('the phase after the spec fields, and top-level fields for objects without a spec', () => {
    const status = { type: 'object', properties: { phase: text, message: text } }
    expect(heads({ properties: { ...withSpec({ version: text }).properties, status } })).toEqual(['VERSION', 'PHASE'])
    const roleRef = { type: 'object', properties: { name: text } }
    expect(heads({ properties: { metadata: { type: 'object' }, roleRef } })).toEqual(['ROLE REF'])
  })

  test('referenced schemas, without following cycles', () => {
    const follow = (reference: string) => (reference === 'owner' ? text : { $ref: reference })
    const schema = withSpec({ owner: { $ref: 'owner' }, circle: { $ref: 'circle' } })
    expect(columnsOf(schema, follow).map(({ head }) => head)).toEqual(['OWNER'])
  })
})

describe('a cell', () => {
  const cellOf = (schema: object, value: unknown) =>
    columnsOf(withSpec({ field: schema }))[0]?.cellOf({ spec: { field: value } })

  test.each([
    ['of a string', text, 'Buy milk', 'Buy milk'],
    ['of a missing value', text, undefined, ''],
    ['of a boolean', { type: 'boolean' }, false, 'false'],
    ['of a list', { type: 'array', items: text }, ['a', 'b'], 'a, b'],
    [
      'of a list of objects with a name',
      { type: 'array', items: { properties: { name: text } } },
      [{ name: 'a' }],
      'a',
    ],
    ['of a long string, truncated', text, 'x'.repeat(50), `${'x'.repeat(39)}…`],
    ['of control characters, escaped', text, 'a\u001b[2Jb\nc', String.raw`a\u{1b}[2Jb\u{a}c`],
    ['of a value that does not match its schema', text, { deep: 1 }, ''],
  ])('%s', (_what, schema, value, expected) => expect(cellOf(schema, value)).toBe(expected))

  test('of a time, without seconds', () =>
    expect(cellOf({ ...text, format: 'date-time' }, '2030-03-01T10:00:30.000Z')).toMatch(/^2030-0[23]-\d\d \d\d:\d\d$/))
})
