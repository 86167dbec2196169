import type { PluginDefinition, RouteDeclaration } from '@pergola/api'
import { expect, test } from 'vitest'
import { hostVersion } from '../../base/host-version.ts'
import { hostFault, manifestOf } from './manifest.ts'

const group = 'todo.example.com'
const definition: PluginDefinition = {
  protocol: 1,
  name: 'todo',
  groups: [group],
  models: [],
  routes: [],
  apps: [],
  owned: [],
  roles: [],
  controllers: [],
  schedules: [],
  permissions: [],
}
const files = new Map([['ui/index.js', Buffer.from('')]])
const sound = { name: 'todo', version: '1.0.0', definition }
const route = (path: string, rest: object = {}): RouteDeclaration => ({
  audience: 'public',
  method: 'GET',
  path: `/apis/api.${group}/v1/${path}`,
  ...rest,
})
const defined = (change: object) => ({ ...sound, definition: { ...definition, ...change } })
const routed = (...routes: readonly unknown[]) => defined({ routes })
const model = { group: 'other.example.com', kind: 'A', singular: 'a', plural: 'as', versions: [], check: false }

const refused: readonly (readonly [string, unknown, string])[] = [
  ['is a list', [], 'is no object'],
  ['has no name', { ...sound, name: 1 }, 'has no name'],
  ['has an invalid name', { ...sound, name: 'Todo' }, 'has the name "Todo", which'],
  ['has an invalid version', { ...sound, version: 'new' }, 'has no version such as 1.0.0'],
  ['has no definition', { ...sound, definition: 'x' }, 'has no definition'],
  ['has another protocol', defined({ protocol: 7 }), 'speaks protocol 7; this host speaks 1'],
  ['has the definition of another plugin', defined({ name: 'other' }), 'the definition of another plugin, "other"'],
  ['lacks a list', defined({ schedules: undefined }), 'has no list of schedules'],
  ['claims an invalid group', defined({ groups: ['a b'] }), 'claims the group "a b", which'],
  ['claims an audience', defined({ groups: [`api.${group}`] }), 'looks like that of an audience'],
  [
    'has a model in another group',
    defined({ models: [model] }),
    'the model as in "other.example.com", which it does not claim',
  ],
  ['has pages outside ui/', { ...sound, ui: 'plugin.js' }, 'they begin in a file such as ui/index.js'],
  ['has pages that are not a path', { ...sound, ui: ['ui/index.js'] }, 'they begin in a file such as ui/index.js'],
  ['has pages that do not exist', { ...sound, ui: 'ui/main.js' }, 'ui/main.js, which the package does not hold'],
  ['requires an invalid range', { ...sound, requires: 'new' }, 'requires "new", which is no range'],
  ['depends on a list', defined({ dependencies: [] }), 'has dependencies that are no object'],
  ['depends on itself', defined({ dependencies: { todo: '*' } }), 'depends on "todo", which is itself'],
  ['depends on an invalid plugin name', defined({ dependencies: { 'A b': '*' } }), 'depends on "A b", which'],
  ['depends on an invalid range', defined({ dependencies: { mailer: 'new' } }), 'mailer of "new", which is no range'],
  [
    'has a program for an unknown audience',
    defined({ apps: ['all'] }),
    'has a program for "all", which is no audience',
  ],
  ['has an incomplete route', routed({ method: 'GET' }), 'lacks an audience, a method or a path'],
  ['has a route that is a string', routed('GET /'), 'lacks an audience, a method or a path'],
  [
    'has a route in another group',
    routed({ ...route('a'), path: '/apis/other.example.com/v1/a' }),
    "in none of the plugin's groups",
  ],
  ['has a deep route', routed(route('a/{b}/c/d/e')), 'has more than 7 segments'],
  [
    'has a route with an invalid version',
    routed({ ...route('a'), path: `/apis/api.${group}/V/a` }),
    'has the version "V", which',
  ],
  ['has a wildcard', routed(route('a/*')), 'has a wildcard'],
  ['has an invalid segment', routed(route('a/b c')), 'has the segment "b c"'],
  ['has a route without a resource', routed(route('{name}')), 'names no resource'],
  ['has a parameter as a sub-resource', routed(route('a/{b}/{c}')), 'has a parameter as a sub-resource'],
  ['has a negative body limit', routed(route('a', { maxBody: -1 })), 'takes a body of -1 bytes'],
  ['has a route twice', routed(route('a/{b}'), route('a/{c}')), `has the route GET /apis/api.${group}/v1/a/{c}, which`],
]
test.for(refused)('a plugin.json that %s is rejected', ([, manifest, words]) => {
  expect(() => manifestOf({ manifest, files })).toThrow(words)
})

test('a valid plugin.json is accepted', () => {
  expect(manifestOf({ manifest: { ...sound, displayName: 'Todos', requires: '^1.0.0' }, files })).toEqual({
    ...sound,
    displayName: 'Todos',
    requires: '^1.0.0',
  })
  expect(manifestOf({ manifest: { ...sound, ui: 'ui/index.js' }, files })).toMatchObject({ ui: 'ui/index.js' })
  expect(
    manifestOf({ manifest: defined({ requires: '^2.0.0', dependencies: { mailer: '^1.0.0' } }), files }),
  ).toMatchObject({
    requires: '^2.0.0',
  })
  expect(
    manifestOf({ manifest: routed(route('a/{b}'), route('a/{b}', { method: 'POST' })), files }).definition.routes,
  ).toHaveLength(2)
})

test('an unsupported host version is reported with both versions', () => {
  expect(hostFault(sound)).toBeUndefined()
  expect(hostFault({ ...sound, requires: `^${hostVersion}` })).toBeUndefined()
  expect(hostFault({ ...sound, requires: '^99.0.0' })).toContain(
    `needs a host of ^99.0.0, and this one is ${hostVersion}`,
  )
})
