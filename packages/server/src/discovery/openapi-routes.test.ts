import type { RouteDeclaration } from '@pergola/api'
import { expect, test } from 'vitest'
import { routePaths } from './openapi-routes.ts'

const base = '/apis/api.todo.example.com/v1alpha1'
type Operation = Readonly<Record<string, unknown>>
const drawn = (...routes: readonly RouteDeclaration[]) =>
  routePaths(routes, (name) => name) as Readonly<Record<string, Readonly<Record<string, Operation>>>>

test('a route with schemas has parameters, request and response', () => {
  const path = `${base}/todos/{name}/share`
  const response = { type: 'object' }
  const query = { type: 'object', properties: { by: { type: 'string' }, size: { type: 'integer' } }, required: ['by'] }
  const described = { audience: 'public', path, allow: 'todo-view', description: 'Share it', response, query } as const
  const { get, post } = drawn(
    { ...described, method: 'GET' },
    { ...described, method: 'POST', request: { type: 'object' } },
  )[path] as Readonly<Record<string, Operation>>
  expect(get).toMatchObject({
    operationId: 'getTodosNameShare',
    summary: 'Share it',
    description: 'Role template todo-view allows it.',
    'x-role-templates': ['todo-view'],
    parameters: [
      { name: 'name', in: 'path', required: true },
      { name: 'by', in: 'query', required: true },
      { name: 'size', in: 'query', required: false },
    ],
    responses: { 200: { content: { 'application/json': { schema: response } } } },
  })
  expect(get).not.toHaveProperty('requestBody')
  expect(post).toMatchObject({ requestBody: { content: { 'application/json': { schema: { type: 'object' } } } } })
})

test('a route lists the problems that it can give', () => {
  const path = `${base}/todos`
  const route = { audience: 'public', path } as const
  const there = drawn({ ...route, method: 'GET' }, { ...route, method: 'POST' })[path]
  const statuses = (method: string) => Object.keys(there?.[method]?.['responses'] as object)
  expect(statuses('post')).toEqual(
    expect.arrayContaining(['200', '201', '400', '401', '403', '404', '409', '413', '415', '422', '502', '503', '504']),
  )
  expect(statuses('get')).toEqual(expect.arrayContaining(['200', '404', '409', '502']))
  expect(statuses('get')).not.toEqual(expect.arrayContaining(['413']))
})

test('a route without schemas has method, path and role templates', () => {
  const path = `${base}/-`
  expect(drawn({ audience: 'public', method: 'PUT', path })[path]?.['put']).toMatchObject({
    operationId: 'putAny',
    summary: `PUT ${path}`,
    description: 'Only super administrators may call it.',
    'x-role-templates': [],
    parameters: [],
  })
})

test('other content types than JSON are taken from the route', () => {
  const path = `${base}/files`
  const route = { audience: 'public', method: 'POST', path, accepts: ['image/png'], produces: 'text/csv' } as const
  expect(drawn(route)[path]?.['post']).toMatchObject({
    requestBody: { content: { 'image/png': {} } },
    responses: { 200: { content: { 'text/csv': {} } } },
  })
  const described = { ...route, request: { type: 'string' }, query: { type: 'object' } } as const
  expect(drawn(described)[path]?.['post']).toMatchObject({
    requestBody: { content: { 'image/png': { schema: { type: 'string' } } } },
  })
})

test('a streaming route says so, and does not hide a plain route at the same path', () => {
  const path = `${base}/news`
  const stream = { audience: 'public', method: 'GET', path, stream: true } as const
  expect(drawn(stream)[path]?.['get']?.['description']).toContain('It goes on')
  for (const routes of [
    [stream, { ...stream, stream: false }],
    [{ ...stream, stream: false }, stream],
  ]) {
    expect(drawn(...routes)[path]?.['get']?.['description']).not.toContain('It goes on')
  }
})
