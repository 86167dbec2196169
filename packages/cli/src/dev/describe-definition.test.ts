import type { PluginDefinition } from '@pergola/api'
import { expect, test } from 'vitest'
import { describeDefinition } from './describe-definition.ts'

const empty: PluginDefinition = {
  protocol: 1,
  name: 'todo',
  groups: [],
  models: [],
  routes: [],
  apps: [],
  owned: [],
  roles: [],
  controllers: [],
  schedules: [],
  permissions: [],
}
const model = {
  group: 'g',
  kind: 'Todo',
  singular: 'todo',
  plural: 'todos',
  versions: [],
  check: false,
  indexes: [{ name: 'a' }, { name: 'b' }],
}
const owned = { group: 'g', plural: 'todos', path: 'spec.owner' }

test('role templates of extensions/ are counted too', () => {
  const role = {
    apiVersion: 'v1alpha1',
    kind: 'Role',
    metadata: { name: 'a', labels: {}, annotations: {} },
    rules: [],
  } as const
  expect(describeDefinition({ definition: { ...empty, roles: [role] }, roles: [role, role] })).toBe('3 role templates')
})

const rows: readonly (readonly [definition: Partial<PluginDefinition>, text: string])[] = [
  [{}, 'nothing yet'],
  [{ models: [model], owned: [owned] }, '1 model, 2 indexes, no routes + own todos'],
  [{ models: [model, { ...model, indexes: [] }], schedules: [{ name: 's' }] }, '2 models, 2 indexes, 1 schedule'],
]
test.each(rows)('%o', (definition, text) => {
  expect(describeDefinition({ definition: { ...empty, ...definition } })).toBe(text)
})
