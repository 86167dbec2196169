import { describe, expect, test } from 'vitest'
import todo, { Todo } from '../../../../examples/todo/src/plugin.ts'
import { isUnderstood } from '../../../server/src/access/decisions/understood-rule.ts'
import { definitionErrors } from '../../../server/src/models/definition/definition-errors.ts'
import { can, defineModel, definePlugin, inspect, owned, roleTemplate, route, t } from '../index.ts'
import type { AnyPlugin, PluginOptions, RoleTemplate } from '../index.ts'

const names = { apiVersion: 'map.example.com/v1', kind: 'Place', plural: 'places' } as const
const list = defineModel({
  apiVersion: 'lists.example.com/v2',
  kind: 'List',
  plural: 'lists',
  singular: 'listing',
  spec: t.Object({}),
})

interface Allowed {
  readonly allow?: RoleTemplate
}

function plugin(parts: Partial<PluginOptions<never>>): AnyPlugin {
  return definePlugin({ name: 'todo', models: [Todo], ...parts })
}

describe('the definition of a plugin', () => {
  test('is equal to todo.golden.json for the example plugin', async () => {
    const text = `${JSON.stringify(inspect(todo), undefined, 2)}\n`
    await expect(text).toMatchFileSnapshot('todo.golden.json')
  })

  test('has models and rules that the host accepts', () => {
    const { models, roles } = inspect(todo)
    const errors = models.map((spec) => definitionErrors(spec, { byHost: true }))
    expect(errors).toEqual([[]])
    expect(roles.flatMap(({ rules }) => rules).every(isUnderstood)).toBe(true)
  })

  test('takes the name of an index without a function as its path, as the API does', () => {
    const indexes = [{ name: 'spec.title', unique: true, order: 'DESC' }] as never
    const place = defineModel({ ...names, spec: t.Object({ title: t.String() }), indexes })
    expect(inspect(definePlugin({ name: 'map', models: [place] })).models[0]?.indexes).toEqual([
      { name: 'spec.title', unique: true, order: 'DESC' },
    ])
  })

  test('shares no object with the code of the plugin', () => {
    const { models } = inspect(todo)
    expect(models[0]?.versions[0]?.schema.properties['status']).toEqual(JSON.parse(JSON.stringify(Todo.status)))
    expect(models[0]?.versions[0]?.schema.properties['status']).not.toBe(Todo.status)
  })

  test('uses explicit values instead of inferred ones', () => {
    const read = roleTemplate('read', {
      displayName: 'Read',
      roleName: 'todo-reader',
      module: 'Lists',
      uiPermissions: ['plugin:todo:lists:read'],
      dependencies: ['other-view'],
    })
    const count = route('GET /apis/console.api.lists.example.com/v2/lists/-/count', { allow: read }, () => 0)
    const definition = inspect(
      definePlugin({ name: 'todo', api: 'todo.example.com/v1', models: [list], roles: [read], console: [count] }),
    )
    expect(definition).toMatchObject({
      groups: ['lists.example.com', 'todo.example.com'],
      api: 'todo.example.com/v1',
      models: [{ singular: 'listing' }],
      routes: [{ path: '/apis/console.api.lists.example.com/v2/lists/-/count', allow: 'todo-reader' }],
      roles: [
        {
          metadata: {
            name: 'todo-reader',
            annotations: {
              'rbac.authorization.platform.run/module': 'Lists',
              'rbac.authorization.platform.run/dependencies': '["other-view"]',
              'rbac.authorization.platform.run/ui-permissions': '["plugin:todo:lists:read"]',
            },
          },
        },
      ],
    })
  })

  test('has the request and response formats of a route', () => {
    const upload = route(
      'POST /todos/:name/picture',
      { accepts: ['image/png'], produces: 'text/plain', maxBody: 1_000, query: t.Object({ size: t.Integer() }) },
      () => new Response('done'),
    )
    const changes = route(
      'GET /todos/-/changes',
      { stream: true, description: 'Changes', responseHeaders: ['X-Total'] },
      () => new Response(),
    )
    expect(inspect(plugin({ console: [upload, changes] })).routes).toEqual([
      {
        audience: 'console',
        method: 'POST',
        path: '/apis/console.api.todo.example.com/v1alpha1/todos/{name}/picture',
        accepts: ['image/png'],
        produces: 'text/plain',
        maxBody: 1_000,
        query: { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } },
      },
      {
        audience: 'console',
        method: 'GET',
        path: '/apis/console.api.todo.example.com/v1alpha1/todos/-/changes',
        stream: true,
        description: 'Changes',
        responseHeaders: ['x-total'],
      },
    ])
  })

  test('lists audiences that are served by a fetch function or an app', () => {
    const answer = () => new Response()
    expect(inspect(plugin({ console: answer, public: { fetch: answer } }))).toMatchObject({
      api: 'todo.example.com/v1alpha1',
      apps: ['console', 'public'],
      routes: [],
    })
  })

  test('has no default API when every route has a full path', () => {
    const count = route('GET /apis/api.lists.example.com/v2/lists/-/count', {}, () => 0)
    expect(inspect(plugin({ models: [Todo, list], public: [count] }))).not.toHaveProperty('api')
  })

  test('resolves references to find the owner field', () => {
    const spec = {
      type: 'object',
      properties: { owner: { $ref: '#/$defs/user' } },
      $defs: { user: { type: 'string' } },
    }
    const Page = defineModel({ ...names, spec, indexes: ['spec.owner' as never] })
    const pages = owned(Page, 'spec.owner' as never)
    expect(inspect(definePlugin({ name: 'wiki', models: [Page], uc: [pages] })).owned).toEqual([
      { group: 'map.example.com', plural: 'places', path: 'spec.owner' },
    ])
  })

  test('has no default API without routes', () => {
    expect(inspect(definePlugin({ name: 'idle' }))).toEqual({
      protocol: 1,
      name: 'idle',
      groups: [],
      models: [],
      routes: [],
      apps: [],
      owned: [],
      roles: [],
      controllers: [],
      schedules: [],
      permissions: [],
    })
  })

  test('writes tuples as prefixItems and patterns as strings', () => {
    const spec = t.Object({ at: t.Tuple([t.Number(), t.Number()]), code: t.String({ pattern: /^a+$/ }) })
    const [place] = inspect(definePlugin({ name: 'map', models: [defineModel({ ...names, spec })] })).models
    expect(place?.versions[0]?.schema.properties['spec']?.['properties']).toEqual({
      at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false, minItems: 2 },
      code: { type: 'string', pattern: '^a+$' },
    })
  })

  test('has the display of plugin, model and fields; a field or value called display stays as it is', () => {
    const place = defineModel({
      apiVersion: 'map.example.com/v1',
      kind: 'Place',
      plural: 'places',
      spec: t.Object({
        display: t.String({ display: { as: 'markdown' } }),
        sizes: t.Array(t.Number({ display: { unit: 'm' } }), { default: [], examples: [{ display: 1, items: [2] }] }),
      }),
      display: { title: 'spec.display', icon: 'map-pin', columns: ['spec.sizes'] },
    })
    const { icon, color, models } = inspect(
      definePlugin({ name: 'map', icon: 'globe', color: 'teal', models: [place] }),
    )
    expect({ icon, color }).toEqual({ icon: 'globe', color: 'teal' })
    expect(models[0]?.display).toEqual({ title: 'spec.display', icon: 'map-pin', columns: ['spec.sizes'] })
    expect(models[0]?.versions[0]?.schema.properties['spec']?.['properties']).toEqual({
      display: { type: 'string', 'x-display': { as: 'markdown' } },
      sizes: {
        type: 'array',
        items: { type: 'number', 'x-display': { unit: 'm' } },
        default: [],
        examples: [{ display: 1, items: [2] }],
      },
    })
  })

  test('moves $defs to the root of the schema, where references resolve', () => {
    const spec = {
      type: 'object',
      properties: { home: { $ref: '#/$defs/place' } },
      $defs: { place: { type: 'object', properties: { city: { type: 'string' } } } },
    }
    const [place] = inspect(definePlugin({ name: 'map', models: [defineModel({ ...names, spec })] })).models
    expect(place?.versions[0]?.schema).toEqual({
      properties: { spec: { type: 'object', properties: spec.properties } },
      $defs: spec.$defs,
    })
  })

  test('requests permissions on models of other plugins by their plain names', () => {
    const { permissions } = inspect(
      plugin({ permissions: [can('get', list), { apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] }),
    )
    expect(permissions).toEqual([
      { apiGroups: ['lists.example.com'], resources: ['lists'], verbs: ['get'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
    ])
  })

  test('grants sub-resources and single objects', () => {
    const fix = roleTemplate('fix', {
      displayName: 'Fix',
      rules: [can('update', Todo, { subresource: 'status' }), can(['get', 'update'], Todo, { names: ['milk'] })],
    })
    expect(inspect(plugin({ roles: [fix] })).roles[0]?.rules).toEqual([
      { apiGroups: ['todo.example.com'], resources: ['todo/todos/status'], verbs: ['update'] },
      { apiGroups: ['todo.example.com'], resources: ['todo/todos'], resourceNames: ['milk'], verbs: ['get', 'update'] },
    ])
  })

  test('may use groups of the host in a bundled plugin', () => {
    const models = [defineModel({ ...names, apiVersion: 'content.platform.run/v1alpha1', spec: t.Object({}) })]
    expect(inspect(definePlugin({ name: 'content', models }), { comesWithHost: true }).groups).toEqual([
      'content.platform.run',
    ])
  })

  describe('may have a specific and a general route for one path, if', () => {
    const view = roleTemplate('view', { displayName: 'View' })
    const manage = roleTemplate('manage', { displayName: 'Manage', dependencies: [view] })
    const get = { all: 'GET /todos/-/stats', one: 'GET /todos/:name/stats' } as const
    const cases: readonly (readonly [what: string, all: Allowed, one: Allowed])[] = [
      ['both have the same template', { allow: view }, { allow: view }],
      ['the template of the general route includes that of the specific one', { allow: view }, { allow: manage }],
      ['the general route has no template', { allow: view }, {}],
    ]
    test.each(cases)('%s', (_, all, one) => {
      const routes = [route(get.all, all, () => ({})), route(get.one, one, () => ({}))]
      expect(inspect(plugin({ roles: [view, manage], console: routes })).routes).toHaveLength(2)
    })
  })
})

test('a reference to a model of the group that the plugin does not declare is rejected, with the nearest one', () => {
  const Place = defineModel({ ...names, spec: t.Object({ near: t.Ref('map.example.com/place') }) })
  const cure = 'which is not in "models"; add it, or write "map.example.com/places"'
  expect(() => inspect(definePlugin({ name: 'map', models: [Place] }))).toThrow(
    `models.Place.spec.near: refers to place of map.example.com, ${cure}`,
  )
})

test('a reference to a model of another plugin needs a dependency', () => {
  const Order = defineModel({ ...names, spec: t.Object({ of: t.Ref('shop.example.com/orders'), by: t.Ref('users') }) })
  const map = { name: 'map', models: [Order] }
  expect(() => inspect(definePlugin(map))).toThrow(
    /models\.\w+\.spec\.of: refers to orders of shop\.example\.com, a model of another plugin; name that plugin in "dependencies"/,
  )
  expect(inspect(definePlugin({ ...map, dependencies: { shop: '>=1 <2' } })).models).toHaveLength(1)
})

test('references where none can be are rejected with their path', () => {
  const ref = t.Ref('map.example.com/places')
  const rows = t.Array(t.Object({ cells: t.Array(ref) }))
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`near${at}`, ref]))
  const found = (parts: object) => () =>
    inspect(definePlugin({ name: 'map', models: [defineModel({ ...names, ...(parts as { spec: typeof rows }) })] }))
  const fault = 'a reference belongs on a text of spec, in at most one array'
  expect(found({ spec: t.Object({ rows }) })).toThrow(`models.Place.spec.rows[].cells[]: ${fault}`)
  expect(found({ spec: t.Object({}), status: t.Object({ ref }) })).toThrow(`models.Place.status.ref: ${fault}`)
  expect(found({ spec: t.Object(many) })).toThrow('models.Place: has 9 references; at most 8')
})

test('a route at an address of owned objects is rejected, whatever their verbs', () => {
  const own = roleTemplate('own', { displayName: 'Own' })
  const mine = owned(Todo, 'spec.owner', { allow: [{ to: own, verbs: ['get'] }] })
  const remove = route('DELETE /todos/:name', { allow: own }, () => ({}))
  const cure = 'has an address of these objects; give it another, such as "POST /todos/:name/..."'
  expect(() => inspect(plugin({ roles: [own], uc: [mine, remove] }))).toThrow(
    `uc owned Todo: the route "DELETE /todos/:name" ${cure}`,
  )
})
