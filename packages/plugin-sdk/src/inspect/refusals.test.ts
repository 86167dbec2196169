import { describe, expect, test } from 'vitest'
import { mine, Todo } from '../../../../examples/todo/src/plugin.ts'
import { can, controller, defineModel, definePlugin, defineSettings, inspect, owned } from '../index.ts'
import { roleTemplate, route, schedule, secret, t } from '../index.ts'
import type { AnyPlugin, AnyRoute, Finalizer, PluginOptions, RoleTemplate, RouteLine } from '../index.ts'
import { DefinitionError, type DefinitionFault } from './faults.ts'

const spec = t.Object({ title: t.String(), count: t.Integer(), tags: t.Array(t.String()) })
const names = { apiVersion: 'map.example.com/v1', kind: 'Place', plural: 'places' } as const
const list = defineModel({
  apiVersion: 'lists.example.com/v2',
  kind: 'List',
  plural: 'lists',
  singular: 'listing',
  spec: t.Object({}),
})
const view = roleTemplate('view', { displayName: 'View' })
const manage = roleTemplate('manage', { displayName: 'Manage' })

function plugin(parts: Partial<PluginOptions<never>>): AnyPlugin {
  return definePlugin({ name: 'todo', models: [Todo], ...parts })
}

function get(path: string, allow?: RoleTemplate): AnyRoute {
  return route(`GET ${path}` as RouteLine, { ...(allow && { allow }) }, () => ({}))
}

const Foreign = defineModel({
  apiVersion: 'other.example.com/v1alpha1',
  kind: 'Other',
  plural: 'others',
  spec: t.Object({}),
})

function finalizer(name: string): Finalizer<unknown> {
  return { name, finalize: async () => {} }
}

/** The types reject most of these mistakes, but a plugin may be written in JavaScript. */
function model(parts: object): AnyPlugin {
  return definePlugin({ name: 'map', models: [defineModel({ ...names, spec, ...parts })] })
}

describe('a definition is rejected for', () => {
  const cases: readonly (readonly [what: string, plugin: AnyPlugin, where: string, message: string])[] = [
    ['a name with capitals', definePlugin({ name: 'Todo' }), 'name', '"Todo" must have 3 to 40 lowercase letters'],
    ['a name that is too short', definePlugin({ name: 'to' }), 'name', '"to" must have 3 to 40'],
    ['a dependency on itself', plugin({ dependencies: { todo: '^1.0.0' } }), 'dependencies', 'names the plugin itself'],
    [
      'a dependency with an invalid name',
      plugin({ dependencies: { X: '1' } }),
      'dependencies',
      '"X" must have 3 to 40',
    ],
    [
      'a group of the host',
      model({ apiVersion: 'places.platform.run/v1' }),
      'models.Place.apiVersion',
      '"places.platform.run" is reserved for the host',
    ],
    [
      'a group that looks like an audience group',
      model({ apiVersion: 'uc.api.example.com/v1' }),
      'models.Place.apiVersion',
      'looks like the group of an audience',
    ],
    [
      'a group without a dot',
      model({ apiVersion: 'map/v1' }),
      'models.Place.apiVersion',
      '"map" must be a domain name',
    ],
    ['an invalid version', model({ apiVersion: 'a.b/1.0' }), 'models.Place.apiVersion', '"1.0" must be like v1'],
    ['a reserved API group', plugin({ api: 'platform.run/v1' }), 'api', 'is reserved for the host'],
    [
      'routes without an API group',
      definePlugin({ name: 'todo', console: [get('/todos')] }),
      'api',
      'is needed for the routes, since there is no model',
    ],
    [
      'routes without an API when the models have several groups',
      plugin({ models: [Todo, list], public: [get('/todos')] }),
      'api',
      'the models have todo.example.com/v1alpha1, lists.example.com/v2',
    ],
    ['a kind in lower case', model({ kind: 'place' }), 'models.place.kind', '"place" must begin with a capital'],
    ['a plural with a dash', model({ plural: 'my-places' }), 'models.Place.plural', '"my-places" must begin with'],
    ['a singular with a dash', model({ singular: 'my-place' }), 'models.Place.singular', '"my-place" must begin with'],
    ['a duplicate model', plugin({ models: [Todo, Todo] }), 'models.Todo', '"todos" is also a name of models[0]'],
    ['a spec that is a string', model({ spec: t.String() }), 'models.Place.spec', 'must be an object'],
    [
      'a secret in a model',
      model({ spec: t.Object({ a: t.Object({ password: secret() }) }) }),
      'models.Place.spec.a.password',
      'move it to the settings',
    ],
    [
      'a $defs entry with two meanings',
      model({
        spec: { type: 'object', $defs: { a: { type: 'string' } } },
        status: { type: 'object', $defs: { a: { type: 'number' } } },
      }),
      'models.Place.status.$defs.a',
      'means something else in spec',
    ],
    [
      'a check that the host cannot run',
      model({ spec: { type: 'object', properties: { a: Object.assign(t.String(), { '~refine': [] }) } } }),
      'models.Place.spec.properties.a',
      'use "check" of the model',
    ],
    [
      'a type that JSON cannot represent',
      model({ spec: t.Object({ a: Object.assign(t.Unknown(), { '~kind': 'Date' }) }) }),
      'models.Place.spec.properties.a',
      'Date cannot be represented in JSON',
    ],
    [
      'a function in a schema',
      model({ spec: { type: 'object', default: () => ({}) } }),
      'models.Place.spec.default',
      'a function cannot be represented in JSON',
    ],
    [
      'a pattern with flags',
      model({ spec: t.Object({ a: t.String({ pattern: /a/i }) }) }),
      'models.Place.spec.properties.a.pattern',
      'the flags of /a/i are lost',
    ],
    ['an infinitely deep schema', model({ spec: endless() }), 'models.Place.spec', 'is more than 32 levels deep'],
    [
      'an index on an unknown field',
      model({ indexes: ['spec.titel'] }),
      'models.Place.indexes[0]',
      '"spec.titel" is not in the schema: spec has no property "titel"',
    ],
    ['an index on an object', model({ indexes: [{ path: 'spec' }] }), 'models.Place.indexes[0]', 'must be a string, a'],
    [
      'an index that every model has',
      model({ indexes: ['metadata.name'] }),
      'models.Place.indexes[0]',
      'of every model',
    ],
    [
      'a duplicate index',
      model({ indexes: ['spec.title', { name: 'spec.title', single: () => 'x' }] }),
      'models.Place.indexes[1]',
      '"spec.title" is declared twice',
    ],
    [
      'an index name that selectors cannot contain',
      model({ indexes: [{ name: 'first word', single: () => 'x' }] }),
      'models.Place.indexes[0]',
      '"first word" is not a valid name',
    ],
    [
      'an index revision that is not an integer',
      model({ indexes: [{ name: 'words', multi: () => [], revision: 0.5 }] }),
      'models.Place.indexes[0]',
      'the revision 0.5 must be',
    ],
    ['a wildcard', plugin({ uc: [get('/todos/*')] }), 'uc "GET /todos/*"', 'has a wildcard'],
    ['a named wildcard', plugin({ uc: [get('/todos/:rest*')] }), 'uc "GET /todos/:rest*"', 'has a wildcard'],
    ['a parameter in braces', plugin({ uc: [get('/todos/{name}')] }), 'uc "GET /todos/{name}"', 'write ":name"'],
    ['a parameter without a name', plugin({ uc: [get('/todos/:')] }), 'uc "GET /todos/:"', 'its name must begin with'],
    [
      'two parameters with one name',
      plugin({ uc: [get('/todos/:name/parts/:name')] }),
      'uc "GET /todos/:name/parts/:name"',
      'has the parameter ":name" twice',
    ],
    ['a parameter named body', plugin({ uc: [get('/todos/:body')] }), 'uc "GET /todos/:body"', 'from its body'],
    ['an empty segment', plugin({ uc: [get('/todos/')] }), 'uc "GET /todos/"', 'has an empty segment'],
    ['a ".." segment', plugin({ uc: [get('/todos/..')] }), 'uc "GET /todos/.."', 'write the path out'],
    ['a space', plugin({ uc: [get('/my todos')] }), 'uc "GET /my todos"', 'would have to be escaped'],
    [
      'eight segments',
      plugin({ public: [get('/todos/:name/parts/:part/pieces')] }),
      'public "GET /todos/:name/parts/:part/pieces"',
      'has 8 segments with group and version; at most 7',
    ],
    [
      'a parameter as the resource',
      plugin({ uc: [get('/:kind')] }),
      'uc "GET /:kind"',
      'must begin with the name of a resource',
    ],
    [
      'a parameter as the sub-resource',
      plugin({ uc: [get('/todos/:name/:what')] }),
      'uc "GET /todos/:name/:what"',
      'which no rule could name',
    ],
    [
      'a POST to a named object',
      plugin({ uc: [route('POST /todos/:name', {}, () => ({}))] }),
      'uc "POST /todos/:name"',
      'creates under a name',
    ],
    [
      'an unknown method',
      plugin({ uc: [route('TRACE /todos' as RouteLine, {}, () => ({}))] }),
      'uc "TRACE /todos"',
      'has the method "TRACE"',
    ],
    [
      'a GET with a body',
      plugin({ uc: [route('GET /todos', { body: t.Object({}) }, () => ({}))] }),
      'uc "GET /todos"',
      'takes no body, being a GET',
    ],
    [
      'a negative maxBody',
      plugin({ uc: [route('PUT /todos/:name', { maxBody: -1 }, () => ({}))] }),
      'uc "PUT /todos/:name"',
      'has a maxBody of -1',
    ],
    [
      'a cookie among the responseHeaders',
      plugin({ uc: [route('GET /todos', { responseHeaders: ['X-Total', 'Set-Cookie'] }, () => ({}))] }),
      'uc "GET /todos"',
      'names set-cookie in responseHeaders',
    ],
    [
      'a group of another plugin',
      plugin({ uc: [get('/apis/uc.api.other.example.com/v1/things')] }),
      'uc "GET /apis/uc.api.other.example.com/v1/things"',
      'begin with /apis/uc.api.todo.example.com',
    ],
    [
      'a group of another audience',
      plugin({ uc: [get('/apis/api.todo.example.com/v1alpha1/todos')] }),
      'uc "GET /apis/api.todo.example.com/v1alpha1/todos"',
      'is outside of the groups of its audience',
    ],
    [
      'a template that is not in roles',
      plugin({ uc: [get('/todos/-/stats', view)] }),
      'uc "GET /todos/-/stats"',
      'allow names the template "view", which is not in roles',
    ],
    [
      'a duplicate route',
      plugin({ uc: [get('/todos/:name/a'), get('/todos/:other/a')] }),
      'uc "GET /todos/:other/a"',
      'clashes with uc "GET /todos/:name/a"',
    ],
    [
      'overlapping routes of which neither is more specific',
      plugin({ uc: [get('/todos/a/b/:c'), get('/todos/:x/b/c')] }),
      'uc "GET /todos/:x/b/c"',
      'clashes with',
    ],
    [
      'routes of different templates that rules cannot distinguish',
      plugin({ roles: [view, manage], uc: [get('/todos/-/stats', manage), get('/todos/:name/stats', view)] }),
      'uc "GET /todos/:name/stats"',
      'is for the template "view", and no rule could allow it without allowing uc "GET /todos/-/stats"',
    ],
    [
      'a rule that would allow a route without a template',
      plugin({ roles: [view], uc: [get('/todos/:name/a/:b', view), get('/todos/x/y/z')] }),
      'uc "GET /todos/:name/a/:b"',
      'which is for nobody but the super administrator',
    ],
    [
      'a route that clashes with owned objects',
      plugin({
        roles: [view],
        uc: [owned(Todo, 'spec.owner', { allow: [{ to: view, verbs: '*' }] }), get('/todos/:name', view)],
      }),
      'uc "GET /todos/:name"',
      'clashes with uc owned Todo',
    ],
    [
      'owned objects in the console audience',
      plugin({ console: [mine] as never }),
      'console owned Todo',
      'move this to uc',
    ],
    [
      'owned objects of a model that is not in models',
      plugin({ models: [], uc: [owned(Todo, 'spec.owner')] }),
      'uc owned Todo',
      'the model is not in models',
    ],
    [
      'an owner field without an index',
      plugin({ uc: [owned(Todo, 'spec.title' as 'spec.owner')] }),
      'uc owned Todo',
      '"spec.title" must be an index of Todo on one text',
    ],
    [
      'an owner field with fixed values',
      plugin({ uc: [owned(Todo, 'spec.state')] }),
      'uc owned Todo',
      '"spec.state" allows only fixed values',
    ],
    [
      'an owner field with several values',
      plugin({ uc: [owned(Todo, 'spec.tags' as 'spec.owner')] }),
      'uc owned Todo',
      '"spec.tags" must be an index of Todo on one text',
    ],
    [
      'an ambiguous resource name',
      definePlugin({ name: 'todos', models: [Todo], console: [get('/todos/:name/lists'), get('/lists')] }),
      'name',
      '"todos/lists" in a rule could mean the resource "lists" of this plugin',
    ],
    [
      'an ambiguous status name',
      definePlugin({ name: 'todos', models: [Todo], console: [get('/status')] }),
      'name',
      '"todos/status" in a rule could mean',
    ],
    [
      'a role without the prefix',
      plugin({ roles: [roleTemplate('view', { displayName: 'View', roleName: 'view-todos' })] }),
      'roles "view-todos"',
      'must begin with "todo-"',
    ],
    ['a duplicate role', plugin({ roles: [view, { ...view }] }), 'roles "todo-view"', 'is declared twice'],
    [
      'a role name that is not a valid object name',
      plugin({ roles: [roleTemplate('View', { displayName: 'View' })] }),
      'roles "todo-View"',
      '"todo-View" may contain only lowercase letters',
    ],
    [
      'a dependency on a template that is not in roles',
      plugin({ roles: [roleTemplate('all', { displayName: 'All', dependencies: [view] })] }),
      'roles "todo-all"',
      'depends on "todo-view", which is not in the roles',
    ],
    [
      'a dependency by name on a template that is not in roles',
      plugin({ roles: [roleTemplate('all', { displayName: 'All', dependencies: ['todo-view'] })] }),
      'roles "todo-all"',
      'depends on "todo-view", which is not in the roles',
    ],
    [
      'a dependency that is not a valid role name',
      plugin({ roles: [roleTemplate('all', { displayName: 'All', dependencies: ['Other View'] })] }),
      'roles "todo-all"',
      'depends on "Other View", which may contain only',
    ],
    [
      'an aggregation target that is too long for a label',
      plugin({ roles: [roleTemplate('all', { displayName: 'All', aggregateTo: ['a'.repeat(60)] })] }),
      'roles "todo-all"',
      'has a name of 73 characters',
    ],
    [
      'a permission with the prefix of another plugin',
      plugin({ roles: [roleTemplate('all', { displayName: 'All', uiPermissions: ['system:all'] })] }),
      'roles "todo-all"',
      'must have the form plugin:todo:<scope>',
    ],
    [
      'an unknown verb',
      plugin({ roles: [roleTemplate('all', { displayName: 'All', rules: [can('read' as 'get', Todo)] })] }),
      'roles "todo-all"',
      '"read" is no verb',
    ],
    [
      'a grant on a model that is not in models',
      plugin({
        models: [],
        api: 'todo.example.com/v1',
        roles: [roleTemplate('all', { displayName: 'All', rules: [can('get', Todo)] })],
      }),
      'roles "todo-all"',
      'is about Todo, which is not in models',
    ],
    [
      'a controller of a model that is not in models',
      plugin({ models: [], api: 'todo.example.com/v1', controllers: { one: controller(Todo, async () => {}) } }),
      'controllers.one',
      'is about Todo, which is not in models',
    ],
    ['permissions without verbs', plugin({ permissions: [can([], list)] }), 'permissions[0]', 'has no verbs'],
    [
      'settings that are a string',
      plugin({ settings: defineSettings(t.String()) as never }),
      'settings',
      'must be an object',
    ],
    [
      'a nested secret in the settings',
      plugin({ settings: defineSettings(t.Object({ a: t.Object({ b: secret() }) })) as never }),
      'settings.a.b',
      'move it up',
    ],
    [
      'a secret that is a number',
      plugin({ settings: defineSettings(t.Object({ a: t.Integer({ writeOnly: true }) })) as never }),
      'settings.a',
      'a secret is a text',
    ],
    [
      'a controller name that is not a valid lease name',
      plugin({ controllers: { 'my reminders': controller(Todo, async () => {}) } }),
      'controllers.my reminders',
      'must begin with a letter',
    ],
    [
      'a controller with concurrency 0',
      plugin({ controllers: { one: controller(Todo, async () => {}, { concurrency: 0 }) } }),
      'controllers.one',
      'has a concurrency of 0',
    ],
    [
      'an invalid finalizer name',
      plugin({ controllers: { one: controller(Todo, async () => {}, { finalizer: finalizer('my copies') }) } }),
      'controllers.one',
      '"todo.example.com/my copies"',
    ],
    [
      'a finalizer in a group of others',
      plugin({ controllers: { one: controller(Foreign, async () => {}, { finalizer: finalizer('copies') }) } }),
      'controllers.one',
      'has the finalizer "other.example.com/copies" in a group of others; name it "todo.example.com/copies"',
    ],
    [
      'two controllers with one finalizer',
      plugin({
        controllers: {
          one: controller(Todo, async () => {}, { finalizer: finalizer('copies') }),
          two: controller(Todo, async () => {}, { finalizer: finalizer('copies') }),
        },
      }),
      'controllers.two',
      'has the same finalizer as one',
    ],
    [
      'a controller and a schedule with one name',
      plugin({
        controllers: { one: controller(Todo, async () => {}) },
        schedules: { one: schedule({ every: '5m' }, async () => {}) },
      }),
      'schedules.one',
      'is the name of a controller too',
    ],
    [
      'an invalid interval of a schedule',
      plugin({ schedules: { one: schedule({ every: '0s' }, async () => {}) } }),
      'schedules.one',
      '"0s" is not a duration',
    ],
    [
      'an invalid cron expression',
      plugin({ schedules: { one: schedule({ cron: '0 25 * * *' }, async () => {}) } }),
      'schedules.one',
      'the hour in "0 25 * * *"',
    ],
  ]
  for (const [what, refused, where, message] of cases) {
    test(what, () => {
      const faults = faultsOf(refused)
      expect(faults).toContainEqual({ where, message: expect.stringContaining(message) as string })
      expect(faults, 'and no other fault').toHaveLength(1)
    })
  }

  test('several faults, all in one message', () => {
    const wrong = definePlugin({
      name: 'Todo',
      models: [defineModel({ ...names, spec, indexes: ['spec.titel' as 'spec.title'] })],
      console: [get('/places/*')],
    })
    expect(() => inspect(wrong)).toThrow(
      [
        'the plugin "Todo" cannot be used as it is defined:',
        '  name: "Todo" must have 3 to 40 lowercase letters, digits and "-", begin with a letter and end with a letter or digit',
        '  models.Place.indexes[0]: "spec.titel" is not in the schema: spec has no property "titel"',
        '  console "GET /places/*": has a wildcard; a path has a parameter for each segment, such as ":name"',
      ].join('\n'),
    )
  })
})

function endless(): object {
  const schema: Record<string, unknown> = { type: 'object' }
  schema['properties'] = { again: schema }
  return schema
}

function faultsOf(refused: AnyPlugin): readonly DefinitionFault[] {
  try {
    inspect(refused)
    return []
  } catch (error) {
    if (error instanceof DefinitionError) return error.faults
    throw error
  }
}
