import type { ModelDisplay } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import { columnPaths, columnsAt } from './list-columns.ts'
import type { FollowReference } from './schema-at.ts'

function columnsOf(
  of: Parameters<typeof columnPaths>[0],
  schema: object,
  follow: FollowReference = () => undefined,
): ReturnType<typeof columnsAt> {
  const read = { schema: schema as never, follow }
  return columnsAt(columnPaths(of, read), read)
}

const text = { type: 'string' }
const withSpec = (properties: object) => ({ properties: { spec: { type: 'object', properties } } })
const model = (display: ModelDisplay = {}, ...indexed: readonly string[]) => ({
  display,
  indexes: indexed.map((name) => ({ name, type: 'string', multi: false })),
})
const heads = (of: ReturnType<typeof model>, schema: object) => columnsOf(of, schema).map(({ head }) => head)

describe('a table shows', () => {
  const fields = { note: text, title: text, owner: text, hours: { type: 'number' } }

  test.each<readonly [what: string, of: ReturnType<typeof model>, properties: object, expected: string]>([
    ['the title, then the indexed fields', model({}, 'spec.owner', 'spec.hours'), fields, 'TITLE|OWNER|HOURS'],
    ['an indexed title once', model({}, 'spec.owner', 'spec.title'), fields, 'TITLE|OWNER'],
    [
      'the columns of the display instead of indexed fields',
      model({ columns: ['spec.note'] }, 'spec.owner'),
      fields,
      'TITLE|NOTE',
    ],
    [
      'the title of the display before its columns',
      model({ title: 'spec.note', columns: ['spec.owner', 'spec.note'] }),
      fields,
      'NOTE|OWNER',
    ],
    ['no title where the display says the name', model({ title: 'metadata.name' }, 'spec.owner'), fields, 'OWNER'],
    ['name and age once', model({ columns: ['metadata.name', 'metadata.creationTimestamp'] }), fields, 'TITLE'],
    ['spec.displayName without spec.title', model(), { subject: text, name: text, displayName: text }, 'DISPLAY NAME'],
    ['spec.name without those', model(), { subject: text, name: text }, 'SPEC.NAME'],
    ['spec.subject without those', model(), { subject: text, topic: text }, 'SUBJECT'],
    [
      'no title that is not a string',
      model(),
      { title: { type: 'object' }, subject: { type: ['string', 'null'] } },
      'SUBJECT',
    ],
    ['nothing of indexes that are no fields', model({}, 'words'), { note: text }, ''],
    [
      'the path of a field whose head another column has',
      model({}, 'spec.age'),
      { name: text, age: text },
      'SPEC.NAME|SPEC.AGE',
    ],
    [
      'no column for an unresolvable reference',
      model({}, 'spec.a.b'),
      { a: { $ref: '#/components/schemas/Nothing' } },
      '',
    ],
  ])('%s', (_what, of, properties, expected) => expect(heads(of, withSpec(properties)).join('|')).toBe(expected))

  test('English labels, and units', () => {
    const schema = withSpec({
      due: { ...text, 'x-display': { label: { zh: '截止', en: 'Due date' } } },
      hours: { type: 'number', 'x-display': { unit: 'h' } },
      price: { type: 'number', 'x-display': { unit: { before: '€' } } },
      share: { type: 'number', 'x-display': { unit: { after: '%' }, label: { zh: '份额' } } },
    })
    const columns = ['spec.due', 'spec.hours', 'spec.price', 'spec.share']
    expect(heads(model({ columns }), schema)).toEqual(['DUE DATE', 'HOURS (h)', 'PRICE (€)', 'SHARE (%)'])
  })

  test('labels and units without control characters', () => {
    const field = { ...text, 'x-display': { label: { en: 'a\u001b[2J' }, unit: '\u202e' } }
    expect(heads(model({ columns: ['spec.field'] }), withSpec({ field }))).toEqual([String.raw`A\U{1B}[2J (\u{202e})`])
  })

  test('referenced schemas with what stands beside the reference, without following cycles', () => {
    const follow = (reference: string) => (reference === 'owner' ? text : { $ref: reference })
    const owner = { $ref: 'owner', 'x-display': { label: { en: 'By' } } }
    const schema = withSpec({ owner, circle: { $ref: 'circle' } })
    const found = columnsOf(model({}, 'spec.owner', 'spec.circle.x'), schema, follow)
    expect(found.map(({ head }) => head)).toEqual(['BY'])
  })
})

describe('a cell', () => {
  const cellOf = (schema: object, value: unknown) =>
    columnsOf(model({ columns: ['spec.field'] }), withSpec({ field: schema }))[0]?.cellOf({ spec: { field: value } })

  test.each([
    ['of a string', text, 'Buy milk', 'Buy milk'],
    ['of a missing value', text, undefined, ''],
    ['of a boolean', { type: 'boolean' }, false, 'false'],
    ['of a list', { type: 'array', items: text }, ['a', 'b'], 'a, b'],
    ['of a long string, truncated', text, 'x'.repeat(50), `${'x'.repeat(39)}…`],
    ['of control characters, escaped', text, 'a\u001b[2Jb\nc', String.raw`a\u{1b}[2Jb\u{a}c`],
    ['of a value that does not match its schema', text, { deep: 1 }, ''],
  ])('%s', (_what, schema, value, expected) => expect(cellOf(schema, value)).toBe(expected))

  test('of a time, without seconds', () =>
    expect(cellOf({ ...text, format: 'date-time' }, '2030-03-01T10:00:30.000Z')).toMatch(/^2030-0[23]-\d\d \d\d:\d\d$/))

  test('of a field in a list of objects', () => {
    const subjects = { type: 'array', items: { properties: { name: text } } }
    const [column] = columnsOf(model({}, 'subjects.name'), { properties: { subjects } })
    expect(column?.cellOf({ subjects: [{ name: 'ann' }, { name: 'bob' }] })).toBe('ann, bob')
  })
})
