import { expect, test } from 'vitest'
import { titleIndexOf, statePathOf, titleOfObject, titlePathOf } from './display.ts'
import type { ListedModel } from './listed-models.ts'
import type { Schema } from './schema.ts'

const model: ListedModel = {
  group: 'todo.example.com',
  version: 'v1',
  kind: 'Todo',
  singular: 'todo',
  plural: 'todos',
  statusSubresource: false,
  verbs: [],
  indexes: [],
  isOwn: false,
  hasPage: false,
}
const spec = (properties: Schema['properties']): Schema => ({
  properties: { spec: { type: 'object', properties: properties ?? {} } },
})
const named = (fields: object) =>
  ({ apiVersion: 'x/v1', kind: 'Todo', metadata: { name: 'todo-1' }, spec: fields }) as never

test('the title is the field that the model names, else the first usual field, else the name', () => {
  const schema = spec({ name: { type: 'string' }, subject: { type: 'string' } })
  expect(titlePathOf({ ...model, display: { title: 'spec.subject' } }, schema)).toBe('spec.subject')
  expect(titlePathOf(model, schema)).toBe('spec.name')
  expect(titlePathOf(model, spec({ text: { type: 'string' } }))).toBeUndefined()
  expect(titleOfObject(named({ name: 'Desk' }), 'spec.name')).toBe('Desk')
  expect(titleOfObject(named({ name: ' ' }), 'spec.name')).toBe('todo-1')
})

test('the state is the enum with tones, else the one named state or phase', () => {
  const level = { enum: ['low', 'high'] }
  expect(statePathOf(spec({ level, state: { enum: ['open'] } }))).toBe('spec.state')
  expect(
    statePathOf(spec({ level: { ...level, 'x-display': { tones: { high: 'red' } } }, state: { enum: ['open'] } })),
  ).toBe('spec.level')
  expect(statePathOf(spec({ level }))).toBeUndefined()
})

test('a title can be searched by only where it has an index of single values', () => {
  const index = (name: string, multi = false) => ({ name, multi, type: 'string', unique: false })
  expect(titleIndexOf({ indexes: [index('spec.state'), index('spec.displayName')] })).toBe('spec.displayName')
  expect(titleIndexOf({ indexes: [index('spec.title')], display: { title: 'spec.label' } })).toBeUndefined()
  expect(titleIndexOf({ indexes: [index('spec.title', true)] })).toBeUndefined()
})
