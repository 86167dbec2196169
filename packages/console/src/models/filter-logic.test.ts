import { expect, test } from 'vitest'
import {
  draftOf,
  filterFields,
  needsValue,
  operatorsFor,
  pastedTerms,
  termOf,
  unindexedTitles,
} from './filter-logic.ts'
import type { ListedModel } from './listed-models.ts'
import type { Schema } from './schema.ts'

const index = (name: string, type = 'string') => ({ name, type, multi: false, unique: false })
const model: ListedModel = {
  group: 'shop.example.com',
  version: 'v1',
  kind: 'Order',
  singular: 'order',
  plural: 'orders',
  statusSubresource: false,
  verbs: [],
  indexes: [
    { ...index('once'), unique: true },
    index('spec.state'),
    index('spec.amount', 'number'),
    index('spec.due'),
    index('spec.paid', 'boolean'),
  ],
  isOwn: false,
  hasPage: false,
}
const schema: Schema = {
  properties: {
    spec: {
      type: 'object',
      properties: {
        state: { type: 'string', enum: ['open', 'done'] },
        amount: { type: 'number' },
        due: { type: 'string', format: 'date' },
        paid: { type: 'boolean' },
        note: { type: 'string' },
      },
    },
  },
}
const known = { model, schema, language: 'en', nameTitle: 'API name' }
const fields = filterFields(known)
const field = (key: string) => {
  const found = fields.find((one) => one.key === key)
  if (!found) throw new Error(key)
  return found
}

test('indexed fields are offered with their titles, the API name last, others are named', () => {
  expect(fields.filter(({ isKey }) => !isKey).map(({ title }) => title)).toEqual([
    'State',
    'Amount',
    'Due',
    'Paid',
    'API name',
  ])
  expect(unindexedTitles(known)).toEqual(['Note'])
})

test('conditions fit the type: nothing is "more than" a state', () => {
  expect(operatorsFor(field('spec.state'))).toEqual(['in', 'not in', 'present', 'absent'])
  expect(operatorsFor(field('spec.amount'))[0]).toBe('>=')
  expect(operatorsFor(field('spec.due'))).toContain('<')
  expect(operatorsFor(field('metadata.name'))).toContain('prefix')
  expect(needsValue('present')).toBe(false)
})

test('a condition is complete when each of its parts is there', () => {
  expect(termOf({ field: field('spec.state'), op: 'in' }, '')).toBeUndefined()
  expect(termOf({ field: field('spec.state'), op: 'in', values: ['open'] }, '')).toEqual({
    key: 'spec.state',
    op: '=',
    value: 'open',
  })
  expect(termOf({ field: field('spec.state'), op: 'in', values: ['open', 'done'] }, '')).toEqual({
    key: 'spec.state',
    op: 'in',
    values: ['open', 'done'],
  })
  expect(termOf({ field: field('spec.amount'), op: '>=' }, '90')).toEqual({ key: 'spec.amount', op: '>=', value: '90' })
  expect(termOf({ field: field('spec.due'), op: 'absent' }, '')).toEqual({ key: 'spec.due', op: 'absent' })
})

test('a condition can be taken up again, and one of the API be pasted', () => {
  expect(draftOf({ key: 'spec.state', op: '=', value: 'open' }, fields)).toMatchObject({ op: 'in', values: ['open'] })
  expect(pastedTerms('spec.state=(open,done),spec.amount>=3', fields)).toHaveLength(2)
  expect(pastedTerms('spec.unknown=3', fields)).toBeUndefined()
  expect(pastedTerms('desk', fields)).toBeUndefined()
})
