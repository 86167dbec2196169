import { expect, test } from 'vitest'
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
