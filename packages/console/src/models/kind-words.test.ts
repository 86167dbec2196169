import { afterEach, expect, test } from 'vitest'
import { en } from '../words/en.ts'
import { words } from '../words/words.ts'
import { zh } from '../words/zh.ts'
import { manyOf, oneOf } from './kind-words.ts'

const cases = [
  ['Todo', 'todos', 'todo', 'Todos'],
  ['ConfigMap', 'configmaps', 'config map', 'Config maps'],
  ['PersonalAccessToken', 'personalaccesstokens', 'personal access token', 'Personal access tokens'],
  ['NetworkPolicy', 'networkpolicies', 'network policy', 'Network policies'],
  ['APIToken', 'apitokens', 'API token', 'API tokens'],
  ['URL', 'urls', 'URL', 'URLs'],
  ['Person', 'people', 'person', 'People'],
  ['Ox', 'herd', 'ox', 'Herd'],
] as const

for (const [kind, plural, one, many] of cases) {
  test(`${kind} in words`, () => {
    expect([oneOf({ kind }), manyOf({ kind, plural })]).toEqual([one, many])
  })
}

afterEach(() => {
  words.value = en
})

test.each([
  ['a model of the host', { kind: 'ConfigMap', plural: 'configmaps', isOwn: true }, '配置项', '配置项'],
  ['a model of a plugin', { kind: 'Role', plural: 'roles', isOwn: false }, 'role', 'Roles'],
])('%s in Chinese', (_, model, one, many) => {
  words.value = zh
  expect([oneOf(model), manyOf(model)]).toEqual([one, many])
})
