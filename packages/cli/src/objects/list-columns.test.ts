import { describe, expect, test } from 'vitest'
import { columnsOf } from './list-columns.ts'

const text = { type: 'string' }
const heads = (schema: object) => columnsOf(schema as never).map(({ head }) => head)
const withSpec = (properties: object) => ({ properties: { spec: { type: 'object', properties } } })

describe('a table shows', () => {
  test('what a thing is called, whose it is, how it stands and when it is due, before anything else', () => {
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
    ['fields of several words as such', { displayName: text }, 'DISPLAY NAME'],
    ['names that are in objects', { target: { type: 'object', properties: { name: text } } }, 'TARGET'],
    ['no objects and lists of objects without a name', { a: { type: 'object' }, b: { type: 'array', items: {} } }, ''],
    ['nothing that is secret, or tells nobody anything', { token: { ...text, writeOnly: true }, digest: text }, ''],
    ['no column for a reference that leads nowhere', { a: { $ref: '#/components/schemas/Nothing' } }, ''],
  ])('%s', (_what, properties, expected) => expect(heads(withSpec(properties)).join(' ')).toBe(expected))

  test('the phase behind the spec, and fields beside a spec where there is none', () => {
    const status = { type: 'object', properties: { phase: text, message: text } }
    expect(heads({ properties: { ...withSpec({ version: text }).properties, status } })).toEqual(['VERSION', 'PHASE'])
    const roleRef = { type: 'object', properties: { name: text } }
    expect(heads({ properties: { metadata: { type: 'object' }, roleRef } })).toEqual(['ROLE REF'])
  })

  test('what references lead to, though not in circles', () => {
    const follow = (reference: string) => (reference === 'owner' ? text : { $ref: reference })
    const schema = withSpec({ owner: { $ref: 'owner' }, circle: { $ref: 'circle' } })
    expect(columnsOf(schema, follow).map(({ head }) => head)).toEqual(['OWNER'])
  })
})

describe('a cell', () => {
  const cellOf = (schema: object, value: unknown) =>
    columnsOf(withSpec({ field: schema }))[0]?.cellOf({ spec: { field: value } })

  test.each([
    ['of a text', text, 'Buy milk', 'Buy milk'],
    ['of nothing', text, undefined, ''],
    ['of a boolean', { type: 'boolean' }, false, 'false'],
    ['of a list', { type: 'array', items: text }, ['a', 'b'], 'a, b'],
    ['of a list of named things', { type: 'array', items: { properties: { name: text } } }, [{ name: 'a' }], 'a'],
    ['of what is longer than it', text, 'x'.repeat(50), `${'x'.repeat(39)}…`],
    ['of what would move a cursor', text, 'a\u001b[2Jb\nc', String.raw`a\u{1b}[2Jb\u{a}c`],
    ['of what a stored object has against its schema', text, { deep: 1 }, ''],
  ])('%s', (_what, schema, value, expected) => expect(cellOf(schema, value)).toBe(expected))

  test('of a time is short', () =>
    expect(cellOf({ ...text, format: 'date-time' }, '2030-03-01T10:00:30.000Z')).toMatch(/^2030-0[23]-\d\d \d\d:\d\d$/))
})
