import { describe, expect, test } from 'vitest'
import type { Answer, Call } from '../call/call.ts'
import { createBuiltInModel } from '../models/definition/built-in-model.ts'
import type { ModelDefinition } from '../models/definition/definition.ts'
import type { Model } from '../models/model.ts'
import { createDiscovery } from './discovery-endpoints.ts'

const discoveryOf = (models: () => readonly Model[]) =>
  createDiscovery({ models, customApis: () => ({ routes: [], owned: [], apps: [] }), hostRoutes: [] })

const text = { type: 'string' }
const evil = '<script>alert("x")</script>&'

const definition: ModelDefinition = {
  group: 'g.example',
  version: 'v1',
  kind: 'Todo',
  singular: 'todo',
  plural: 'todos',
  statusSubresource: true,
  schema: {
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['title'],
        properties: {
          title: { ...text, description: evil, maxLength: 9, default: evil },
          state: { enum: ['open', evil] },
          either: { type: ['string', 'null'] },
          tags: { type: 'array', items: text },
          steps: { type: 'array', items: { $ref: '#/$defs/Step' } },
          notes: { type: 'array', items: { type: 'object', properties: { [evil]: text } } },
        },
      },
      status: { $ref: '#/$defs/Status' },
    },
    $defs: {
      Step: { type: 'object', properties: { next: { $ref: '#/$defs/Step' } } },
      Status: { type: 'object', properties: { done: { type: 'boolean' } } },
    },
  },
  indexes: [{ name: 'spec.tags' }, { name: 'spec.title', unique: true, order: 'DESC' }],
}
const role: ModelDefinition = {
  group: '',
  version: 'v1alpha1',
  kind: 'Role',
  singular: 'role',
  plural: 'roles',
  schema: { properties: { rules: {} } },
}

const todos = createBuiltInModel(definition, { edition: 1 })
const all = [createBuiltInModel(role), todos]

async function ask(path: string, models: readonly Model[] = all, headers: object = {}): Promise<Answer> {
  const answer = await discoveryOf(() => models)(path)?.({ request: { headers } } as Call)
  if (!answer) throw new Error(`nobody handles ${path}`)
  return answer
}

const read = async (path: string, models?: readonly Model[]) => String((await ask(path, models)).body as Buffer)
const json = async (path: string, models?: readonly Model[]) =>
  JSON.parse(await read(path, models)) as Readonly<Record<string, unknown>>

test('discovery lists all groups and models in one document', async () => {
  const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
  const names = { kind: 'Todo', singular: 'todo', plural: 'todos' }
  const indexes = [
    { name: 'spec.tags', type: 'string', multi: true, unique: false, order: 'ASC' },
    { name: 'spec.title', type: 'string', multi: false, unique: true, order: 'DESC' },
  ]
  const roles = { kind: 'Role', singular: 'role', plural: 'roles', statusSubresource: false, verbs, indexes: [] }
  expect(await json('/apis')).toEqual({
    apiVersion: 'v1alpha1',
    kind: 'GroupList',
    groups: [
      { name: '', versions: [{ name: 'v1alpha1', path: '/api/v1alpha1', models: [roles] }] },
      {
        name: 'g.example',
        versions: [
          { name: 'v1', path: '/apis/g.example/v1', models: [{ ...names, statusSubresource: true, verbs, indexes }] },
        ],
      },
    ],
  })
})

test('OpenAPI has one document for each group and version', async () => {
  expect(await json('/openapi/v3')).toEqual({
    paths: {
      'api/v1alpha1': { serverRelativeURL: '/openapi/v3/api/v1alpha1' },
      'apis/g.example/v1': { serverRelativeURL: '/openapi/v3/apis/g.example/v1' },
    },
  })
  expect(await json('/openapi/v3/api/v1alpha1')).toMatchObject({
    openapi: '3.1.0',
    paths: { '/api/v1alpha1/roles/{name}': { get: { operationId: 'getRole' } } },
  })
})

test('named parts of a schema become components of the kind, and every reference resolves', async () => {
  const document = await json('/openapi/v3/apis/g.example/v1')
  const { schemas } = document['components'] as { schemas: Readonly<Record<string, object>> }
  expect(Object.keys(schemas)).toEqual(
    expect.arrayContaining(['Todo', 'TodoList', 'Todo.Step', 'Todo.Status', 'Metadata']),
  )
  expect(schemas['Todo.Step']).toMatchObject({ properties: { next: { $ref: '#/components/schemas/Todo.Step' } } })
  expect(schemas['Todo']).toMatchObject({
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    additionalProperties: false,
    properties: {
      apiVersion: { const: 'g.example/v1' },
      kind: { const: 'Todo' },
      metadata: { $ref: '#/components/schemas/Metadata' },
      spec: { additionalProperties: false },
    },
  })
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
  expect(references.length).toBeGreaterThan(10)
  for (const [, name = ''] of references) expect(schemas).toHaveProperty([name])
})

describe('the document has a status path', () => {
  const statusPath = '/apis/g.example/v1/todos/{name}/status'
  const cases: readonly (readonly [what: string, model: Model, isThere: boolean])[] = [
    ['for a model with a status sub-resource', todos, true],
    ['but not without a status sub-resource', createBuiltInModel({ ...definition, statusSubresource: false }), false],
    [
      'but not if only the host writes the status',
      createBuiltInModel(definition, { rules: { ownsStatus: true } }),
      false,
    ],
  ]
  for (const [what, model, isThere] of cases) {
    test(what, async () => {
      const { paths } = await json('/openapi/v3/apis/g.example/v1', [model])
      expect(Object.keys(paths as object).includes(statusPath)).toBe(isThere)
    })
  }
})

describe('If-None-Match with the current ETag is 304:', () => {
  for (const path of [
    '/apis',
    '/openapi/v3',
    '/openapi',
    '/openapi/v3/apis/g.example/v1',
    '/openapi/apis/g.example/v1',
  ]) {
    test(path, async () => {
      const first = await ask(path)
      const etag = String(first.headers?.['etag'])
      expect(first).toMatchObject({ status: 200, headers: { 'cache-control': 'private, no-cache' } })
      for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await ask(path, all, { 'if-none-match': sent })
        expect(again).toMatchObject({ status: 304, headers: { etag } })
        expect((again.body as Buffer).length).toBe(0)
      }
      expect((await ask(path, all, { 'if-none-match': '"other"' })).status).toBe(200)
      expect((await ask(path, [todos])).headers?.['etag'] === etag).toBe(path.endsWith('g.example/v1'))
    })
  }
})

test('a document reflects the models, and is rebuilt only when one has changed', async () => {
  let models: readonly Model[] = all
  let reads = 0
  const counted: ModelDefinition = {
    ...definition,
    get schema() {
      reads++
      return definition.schema
    },
  }
  const discovery = discoveryOf(() => models)
  const path = '/openapi/v3/apis/g.example/v1'
  const get = async () =>
    String((await discovery(path)?.({ request: { headers: {} } } as Call))?.body as Buffer | undefined)
  models = [createBuiltInModel(counted, { edition: 1 })]
  const first = await get()
  const readsAtFirst = reads
  expect(await get()).toBe(first)
  expect(reads).toBe(readsAtFirst)
  models = [createBuiltInModel({ ...counted, schema: { properties: { spec: text } }, indexes: [] }, { edition: 2 })]
  expect(await get()).not.toBe(first)
  models = [createBuiltInModel(role)]
  expect(discovery(path)).toBeUndefined()
})

describe('there is no handler for', () => {
  const paths = [
    '/',
    '/apis/',
    '/api',
    '/openapi/v4',
    '/openapi/v3/',
    '/openapi/v3/apis/g.example/v2',
    '/openapi/v3/apis',
  ]
  for (const path of [
    ...paths,
    '/apis/g.example/v1',
    '/x/openapi/v3/apis/g.example/v1',
    '/openapi/v3/x/apis/g.example/v1',
  ]) {
    test(path, () => expect(discoveryOf(() => all)(path)).toBeUndefined())
  }
})

describe('the HTML reference', () => {
  test('lists groups and kinds, with links', async () => {
    const answer = await ask('/openapi')
    expect(answer.contentType).toBe('text/html; charset=utf-8')
    const page = String(answer.body as Buffer)
    expect(page).toContain('<a href="/openapi/apis/g.example/v1">g.example/v1</a>')
    expect(page).toContain('<code>Role</code>')
  })

  test('shows operations, fields and indexes of a group', async () => {
    const page = await read('/openapi/apis/g.example/v1')
    for (const shown of [
      '<td class="method put">put</td><td><code>/apis/g.example/v1/todos/{name}/status</code></td>',
      '<code>spec.title</code>',
      'maxLength 9',
      '<td>string or null</td>',
      'needs title',
      '<td>Todo.Status</td>',
      '<td>set of string</td>',
      '<td>unique</td>',
    ]) {
      expect(page).toContain(shown)
    }
  })

  test('escapes text from plugins', async () => {
    const page = await read('/openapi/apis/g.example/v1')
    expect(page).not.toContain('<script')
    expect(page.split('&lt;script&gt;alert(').length).toBeGreaterThan(4)
    expect(page).toContain('&lt;/script&gt;&amp;')
    expect(page).not.toMatch(/alert\("/)
  })
})
