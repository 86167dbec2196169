import { expect, test } from 'vitest'
import { readDescribedApi } from './described-api.ts'
import { moduleText } from './module-text.ts'

const spec = {
  type: 'object',
  required: ['title', 'state'],
  properties: {
    title: { type: 'string', description: 'What has to be done' },
    state: { enum: ['open', 'done'], default: 'open' },
    author: { type: 'string', 'x-reference': { group: '', plural: 'users' } },
    place: { $ref: '#/components/schemas/Todo.place' },
    other: { $ref: '#/components/schemas/Problem' },
  },
}
const schemas = {
  Todo: {
    type: 'object',
    description: 'Something to do.',
    required: ['spec'],
    properties: { apiVersion: {}, kind: {}, metadata: {}, spec, status: { type: 'object', properties: {} } },
  },
  'Todo.place': {
    type: 'object',
    properties: { city: { type: 'string' }, in: { $ref: '#/components/schemas/Todo.place' } },
  },
  Problem: { type: 'object' },
}
const custom = ['custom']
const documents: Readonly<Record<string, unknown>> = {
  '/apis': {
    groups: [
      {
        name: 'todo.example.com',
        versions: [
          {
            name: 'v1',
            models: [
              {
                kind: 'Todo',
                singular: 'todo',
                plural: 'todos',
                indexes: [
                  { name: 'metadata.name', type: 'string', multi: false },
                  { name: 'spec.title', type: 'string', multi: false },
                  { name: 'spec.state', type: 'string', multi: false },
                  { name: 'count', type: 'integer', multi: false },
                  { name: 'isDone', type: 'boolean', multi: true },
                ],
              },
            ],
          },
        ],
      },
      { name: 'other.example.com', versions: [{ name: 'v1', models: [] }] },
    ],
  },
  '/openapi/v3': {
    paths: {
      'api/v1alpha1': {},
      'apis/todo.example.com/v1': {},
      'apis/uc.api.todo.example.com/v1': {},
      'apis/other.example.com/v1': {},
    },
  },
  '/openapi/v3/apis/todo.example.com/v1': {
    paths: { '/apis/todo.example.com/v1/todos/{name}': { get: { tags: ['todos'] } } },
    components: { schemas },
  },
  '/openapi/v3/apis/uc.api.todo.example.com/v1': {
    paths: {
      '/apis/uc.api.todo.example.com/v1/todos/{name}': { get: {} },
      '/apis/uc.api.todo.example.com/v1/todos/{name}/share': {
        post: {
          tags: custom,
          operationId: 'postShare',
          summary: 'Shares it */ for good',
          parameters: [
            { name: 'name', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'days', in: 'query', schema: { type: 'integer' } },
          ],
          requestBody: {
            content: { 'application/json': { schema: { type: 'object', properties: { note: { type: 'string' } } } } },
          },
          responses: { 200: { content: { 'application/json': { schema: { const: 'done' } } } } },
        },
        get: { tags: custom, operationId: 'postShare' },
        put: { tags: custom, operationId: 'postShare' },
      },
    },
    components: { schemas },
  },
}
const call = async ({ path }: { readonly path: string }) => documents[path] ?? {}
const client = { call }

test('every model, every own-objects API and every custom API is an exported value with types and a unique name', async () => {
  const versions = await readDescribedApi(client, (group) => group === 'todo.example.com')
  expect(versions.map(({ group }) => group)).toEqual(['todo.example.com', 'uc.api.todo.example.com'])
  const text = moduleText(versions, 'https://pergola.example.com')
  for (const line of [
    'from https://pergola.example.com. Do not change it',
    '/** Something to do. */ \nexport interface Todo extends ApiObject {',
    "  readonly apiVersion: 'todo.example.com/v1'",
    'readonly place?: TodoPlace; readonly other?: unknown }',
    "  create: { /** What has to be done */ readonly title: string; readonly state?: 'open' | 'done';",
    "  status: Todo['status']",
    "  fields: { readonly 'spec.title': string; readonly 'spec.state': 'open' | 'done'; readonly 'count': number; readonly 'isDone': readonly boolean[] }",
    "singular: 'todo', references: { 'spec.author': 'users' } }",
    'export type TodoPlace = { readonly city?: string; readonly in?: TodoPlace }',
    'export interface OwnTodo extends ApiObject {',
    "/** The caller's own todos, of uc.api.todo.example.com/v1. */\nexport const ownTodos: Served<{",
    '/** Shares it * / for good */\nexport const postShare: ServedRoute<{',
    "  params: { readonly 'name': string }\n  query: { readonly 'days'?: number }\n  body: { readonly note?: string }\n  answer: 'done'",
    '/** GET /apis/uc.api.todo.example.com/v1/todos/{name}/share */\nexport const postShareOfUcApiTodoExampleCom: ServedRoute<{',
    'export const postShareOfUcApiTodoExampleCom2: ServedRoute<{\n  params: {}\n  query: {}\n  body: undefined\n  answer: unknown',
  ]) {
    expect(text).toContain(line)
  }
})

test('a core model has an apiVersion without a group; a model without a schema has an unknown type', async () => {
  const core = await readDescribedApi(client, (group) => group === '')
  expect(core).toEqual([{ group: '', version: 'v1alpha1', models: [], routes: [], schemas: {} }])
  const bare = { kind: 'Thing', singular: 'thing', plural: 'things', isOwn: false, indexes: [] }
  const version = { group: '', version: 'v1alpha1', routes: [], schemas: {} }
  const text = moduleText([{ ...version, models: [{ ...bare, group: '', version: 'v1alpha1' }] }], 'x')
  expect(text).toContain("  readonly apiVersion: 'v1alpha1'")
  expect(text).toContain('  create: unknown\n  status: undefined\n  fields: {  }')
})
