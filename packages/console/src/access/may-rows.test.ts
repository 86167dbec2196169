import { expect, test } from 'vitest'
import type { ListedModel } from '../models/listed-models.ts'
import { mayRows, requestsFor } from './may-rows.ts'
import type { Explanation } from './who-may.ts'

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']
const users = { group: '', version: 'v1alpha1', plural: 'users', isOwn: true, verbs } as unknown as ListedModel
const todos = {
  group: 'todo.example.com',
  version: 'v1',
  plural: 'todos',
  isOwn: false,
  verbs,
} as unknown as ListedModel
const yes = (role: string) => ({ allowed: true, by: { role }, reasons: [] }) as unknown as Explanation
const no: Explanation = { allowed: false, reasons: [] }

test('asks once for each model and deed, the models of plugins first', () => {
  const asked = requestsFor([users, { ...todos, version: 'v0' }, todos]).map(
    ({ verb, resource }) => `${verb} ${resource}`,
  )
  const of = (plural: string) => ['list', 'create', 'update', 'delete'].map((verb) => `${verb} ${plural}`)
  expect(asked).toEqual([...of('todos'), ...of('users')])
})

test('an answer belongs to its model and deed, and each role is named once', () => {
  const rows = mayRows([users, todos], [yes('staff'), yes('staff'), no, yes('boss'), no, no, no, no])
  expect(rows.map(({ model, may, roles }) => [model.plural, [...may], roles])).toEqual([
    ['todos', ['see', 'create', 'delete'], ['staff', 'boss']],
    ['users', [], []],
  ])
})

test('verbs that a model lacks are not shown as allowed', () => {
  const [row] = mayRows([{ ...todos, verbs: ['list'] }], [yes('boss'), yes('boss'), yes('boss'), yes('boss')])
  expect([...(row?.may ?? [])]).toEqual(['see'])
})
