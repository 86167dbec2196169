import { expect, test } from 'vitest'
import { Todo } from '../../../../examples/todo/src/plugin.ts'
import {
  can,
  controller,
  defineModel,
  definePlugin,
  inspect,
  owned,
  roleTemplate,
  route,
  schedule,
  t,
} from '../index.ts'
import type { AnyPlugin } from '../index.ts'

const view = roleTemplate('view', { displayName: 'View' })

function plugin(parts: object): AnyPlugin {
  return definePlugin({ name: 'todo', models: [Todo], ...parts })
}

function model(parts: object): AnyPlugin {
  const names = { apiVersion: 'map.example.com/v1', kind: 'Place', plural: 'places' } as const
  return plugin({ models: [defineModel({ ...names, spec: t.Object({ title: t.String() }), ...parts })] })
}

/** The types reject these mistakes, but neither packing nor development mode checks types. */
const cases: readonly (readonly [part: string, plugin: AnyPlugin, fault: string])[] = [
  ['the plugin', plugin({ shedules: {} }), 'definePlugin: "shedules" is not an option; did you mean schedules?'],
  ['a model', model({ chek: () => {} }), 'models.Place: "chek" is not an option; did you mean check?'],
  [
    'an index',
    model({ indexes: [{ path: 'spec.title', uniqe: true }] }),
    'models.Place.indexes[0]: "uniqe" is not an option; did you mean unique?',
  ],
  [
    'an index function',
    model({ indexes: [{ name: 'words', indexFunc: () => [] }] }),
    'models.Place.indexes[0]: "indexFunc" is not an option; write single for one value, or multi for several',
  ],
  [
    'a schema',
    model({ spec: t.Object({ title: t.String({ requiredMode: 'REQUIRED' }) }) }),
    'models.Place.spec.properties.title: "requiredMode" is not a keyword of schemas; name required fields in "required" of the object around them, or write t.Optional for the others',
  ],
  [
    'a route',
    plugin({ uc: [route('GET /todos', { alow: view } as never, () => ({}))] }),
    'uc "GET /todos": "alow" is not an option; did you mean allow?',
  ],
  [
    'owned objects',
    plugin({ uc: [owned(Todo, 'spec.owner', { alow: view } as never)] }),
    'uc owned Todo: "alow" is not an option; did you mean allow?',
  ],
  [
    'a controller',
    plugin({ controllers: { one: controller(Todo, async () => {}, { whenGone: async () => {} } as never) } }),
    'controllers.one: "whenGone" is not an option; remove it',
  ],
  [
    'a schedule',
    plugin({ schedules: { one: schedule({ every: '5m', corn: '0 3 * * *' } as never, async () => {}) } }),
    'schedules.one: "corn" is not an option; did you mean cron?',
  ],
  [
    'a role template',
    plugin({ roles: [roleTemplate('all', { displayName: 'All', agregateTo: [] } as never)] }),
    'roles "todo-all": "agregateTo" is not an option; did you mean aggregateTo?',
  ],
  [
    'a grant',
    plugin({ permissions: [can('get', Todo, { name: ['a'] } as never)] }),
    'permissions[0]: "name" is not an option; did you mean names?',
  ],
]

for (const [part, misspelt, fault] of cases) {
  test(`a misspelt option of ${part} is rejected`, () => {
    expect(() => inspect(misspelt)).toThrow(`the plugin "todo" cannot be used as it is defined:\n  ${fault}`)
  })
}
