import { describe, expect, it } from 'vitest'
import { reactive } from 'vue'
import { initialOf, isEditable, titleOf, widgetOf, type Schema } from './schema.ts'

const flat: Schema = { type: 'object', properties: { item: { type: 'string' }, count: { type: 'integer' } } }

describe('the control for a value', () => {
  it.each<[Schema, string]>([
    [{ type: 'string' }, 'text'],
    [{ type: ['string', 'null'] }, 'text'],
    [{ type: 'string', maxLength: 2_000 }, 'long-text'],
    [{ type: 'string', writeOnly: true, format: 'date' }, 'secret'],
    [{ type: 'string', format: 'date-time' }, 'time'],
    [{ type: 'string', 'x-display': { as: 'person' } }, 'person'],
    [{ type: 'string', 'x-reference': { group: '', plural: 'users' } }, 'person'],
    [{ type: 'string', 'x-reference': { group: 'hall.example.com', plural: 'events' } }, 'reference'],
    [{ enum: ['a', 'b'] }, 'choice'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean' }, 'switch'],
    [flat, 'group'],
    [{ type: 'array', items: { type: 'string' } }, 'tags'],
    [{ type: 'array', items: flat }, 'table'],
    [{ type: 'array', items: { type: 'array', items: flat } }, 'list'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'map'],
    [{ type: 'object' }, 'any'],
    [{ type: ['string', 'number'] }, 'any'],
    [{}, 'any'],
  ])('%j: %s', (schema, widget) => {
    expect(widgetOf(schema)).toBe(widget)
  })

  it('follows references of list items', () => {
    const whole = { definitions: { Line: flat } }
    expect(widgetOf({ type: 'array', items: { $ref: '#/definitions/Line' } }, whole)).toBe('table')
  })
})

describe('the first value of a form', () => {
  it.each<[string, Schema, unknown]>([
    ['a default', { type: 'string', default: 'x' }, 'x'],
    ['no text', { type: 'string' }, undefined],
    ['a switch is off', { type: 'boolean' }, false],
    ['an empty list', { type: 'array', items: { type: 'string' } }, []],
    [
      'defaults of optional fields, and required groups',
      {
        type: 'object',
        required: ['inner', 'title'],
        properties: {
          title: { type: 'string' },
          priority: { enum: ['low', 'high'], default: 'low' },
          note: { type: 'string' },
          flag: { type: 'boolean' },
          inner: { type: 'object', properties: { limit: { type: 'integer', default: 24 } } },
        },
      },
      { priority: 'low', inner: { limit: 24 } },
    ],
  ])('%s', (_, schema, expected) => {
    expect(initialOf(schema, schema)).toEqual(expected)
  })
})

it.each<[string, Schema | undefined, string, string]>([
  ['dueDate', undefined, 'en', 'Due date'],
  ['due', { title: 'Deadline' }, 'en', 'Deadline'],
  ['due', { 'x-display': { label: { en: 'Deadline', zh: '截止日期' } } }, 'zh', '截止日期'],
  ['due', { 'x-display': { label: { en: 'Deadline' } } }, 'zh', 'Deadline'],
])('the label of %s with %j in %s is %s', (name, schema, language, label) => {
  expect(titleOf(name, schema, language)).toBe(label)
})

it('constants with a default and fields of the server have no control', () => {
  const kind = { const: 'User', default: 'User' }
  const name = { type: 'string' }
  expect(isEditable(kind, {})).toBe(false)
  expect(isEditable({ const: 'User' }, {})).toBe(true)
  expect(isEditable({ type: 'string', readOnly: true }, {})).toBe(false)
  expect(widgetOf({ type: 'array', items: { type: 'object', properties: { kind, name } } })).toBe('table')
})

it('a new object gets a list as the default of a reactive schema', () => {
  const schema = reactive({ type: 'array', default: [{ title: 'first' }], items: { type: 'object' } })
  expect(initialOf(schema, {})).toEqual([{ title: 'first' }])
})
