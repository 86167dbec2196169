import { expect, it } from 'vitest'
import { valueAt } from './cell-text.ts'
import { offeredColumns, schemaOfField, usualColumns } from './columns.ts'
import type { ListedModel } from './listed-models.ts'
import type { Schema } from './schema.ts'

const named: Schema = { type: 'object', properties: { name: { type: 'string' } } }
const schema: Schema = {
  properties: {
    subjects: { type: 'array', items: { $ref: '#/definitions/Named' } },
    spec: {
      type: 'object',
      properties: {
        title: { type: 'string' },
        amount: { type: 'number', 'x-display': { unit: '€' } },
        codes: { type: 'object', additionalProperties: { type: 'integer' } },
      },
    },
  },
  definitions: { Named: named },
}
const modelWith = (indexes: readonly string[], columns?: readonly string[]) =>
  ({
    indexes: indexes.map((name) => ({ name, type: 'string', multi: name.startsWith('subjects'), unique: false })),
    ...(columns && { display: { columns } }),
  }) as unknown as ListedModel
const known = (model: ListedModel) => ({ model, schema, language: 'en' })

it.each([
  ['an index of a field', ['spec.amount'], ['spec.amount']],
  ['an index of a field of list items', ['subjects.name'], ['subjects.name', 'spec.amount']],
  ['an index of a function has no column', ['words'], ['spec.amount']],
  ['the title has a column of its own', ['spec.title'], ['spec.amount']],
])('offers columns: %s', (_, indexes, expected) => {
  expect(offeredColumns(known(modelWith(indexes))).map(({ key }) => key)).toEqual(expected)
})

it('puts the unit of a number into the head', () => {
  expect(offeredColumns(known(modelWith(['spec.amount'])))[0]).toMatchObject({ title: 'Amount, €', align: 'end' })
})

it.each([
  [['spec.amount', 'spec.gone'], ['spec.amount']],
  [
    ['metadata.creationTimestamp', 'spec.amount', 'metadata.name'],
    ['created', 'spec.amount', 'name'],
  ],
])('shows the columns %j of the model as %j', (said, expected) => {
  const model = modelWith([], said)
  const always = ['created', 'name'].map((key) => ({ key, title: key, isIndexed: true }))
  expect(usualColumns(model, [...offeredColumns(known(model)), ...always])).toEqual(expected)
})

it.each([
  ['spec.title', 'string'],
  ['subjects.name', 'string'],
  ['subjects[].name', 'string'],
  ['spec.codes.any', 'integer'],
  ['spec.unknown', undefined],
])('the field %s has the type %s', (path, type) => {
  expect(schemaOfField(path, schema).type).toBe(type)
})

it.each([
  ['spec.title', 'a'],
  ['subjects.name', ['ann', 'bob']],
  ['spec.unknown.deeper', undefined],
])('reads %s', (path, value) => {
  expect(valueAt({ spec: { title: 'a' }, subjects: [{ name: 'ann' }, { name: 'bob' }] }, path)).toEqual(value)
})
