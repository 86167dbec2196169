import type { RouteDeclaration } from './plugin-definition.ts'
import { expect, test } from 'vitest'
import { createRouteTable, routesClash } from './route-table.ts'

const base = '/apis/console.api.todo.example.com/v1alpha1/todos'
const route = (line: string): RouteDeclaration => {
  const [method, path] = line.split(' ') as [RouteDeclaration['method'], string]
  return { audience: 'console', method, path: `${base}${path}` }
}
const table = createRouteTable(
  [
    'GET /{name}/stats',
    'GET /-/stats',
    'POST /{name}/share',
    'DELETE /{name}/share',
    'GET /{name}/{kind}',
    'GET /a/b/c/d',
  ].map(route),
)
const shown = (method: string, path: string) => {
  const found = table.find({ method, path, isWatch: false })
  if (!found) return undefined
  if ('methods' in found) return found.methods
  return `${found.route.path.slice(base.length)} ${JSON.stringify(found.parameters)}`
}

const rows: readonly (readonly [what: string, method: string, path: string, expected: unknown])[] = [
  ['a literal segment', 'GET', `${base}/-/stats`, '/-/stats {}'],
  ['a parameter', 'GET', `${base}/milk/stats`, '/{name}/stats {"name":"milk"}'],
  ['several', 'GET', `${base}/milk/other`, '/{name}/{kind} {"name":"milk","kind":"other"}'],
  ['a percent-encoded parameter', 'GET', `${base}/a%2Fb%20c/stats`, '/{name}/stats {"name":"a/b c"}'],
  ['HEAD as GET', 'HEAD', `${base}/-/stats`, '/-/stats {}'],
  ['another method', 'DELETE', `${base}/milk/share`, '/{name}/share {"name":"milk"}'],
  ['a method that the path does not have', 'PUT', `${base}/milk/share`, ['POST', 'DELETE', 'GET']],
  ['an empty parameter', 'GET', `${base}//stats`, undefined],
  ['a longer path', 'GET', `${base}/milk/stats/x`, undefined],
  ['a trailing slash', 'GET', `${base}/milk/stats/`, undefined],
  ['a shorter path', 'GET', base, undefined],
  ['a literal in another letter case', 'GET', `${base}/milk/STATS`, '/{name}/{kind} {"name":"milk","kind":"STATS"}'],
  ['a parameter that is not UTF-8', 'GET', `${base}/%ff/stats`, undefined],
  ['a parameter named __proto__', 'GET', `${base}/__proto__/stats`, '/{name}/stats {"name":"__proto__"}'],
]
for (const [what, method, path, expected] of rows) {
  test(`found by ${what}`, () => expect(shown(method, path)).toEqual(expected))
}

test('a stream and a plain response at one path are two routes, as in access rules', () => {
  const both = createRouteTable([route('GET /news'), { ...route('GET /news'), stream: true }])
  for (const isWatch of [false, true]) {
    const found = both.find({ method: 'GET', path: `${base}/news`, isWatch })
    expect(found && 'route' in found && (found.route.stream ?? false)).toBe(isWatch)
  }
})

test('a stream request never matches a plain literal route, and a plain request never matches a stream route', () => {
  const mixed = createRouteTable([{ ...route('GET /{name}/log'), stream: true }, route('GET /-/log')])
  const path = `${base}/-/log`
  expect(mixed.find({ method: 'GET', path, isWatch: true })).toMatchObject({ parameters: { name: '-' } })
  expect(mixed.find({ method: 'GET', path, isWatch: false })).toMatchObject({ parameters: {} })
  expect(mixed.find({ method: 'GET', path: `${base}/x/log`, isWatch: false })).toEqual({
    methods: ['GET'],
    isStream: true,
  })
})

test('for methods other than GET the request headers do not select between stream and plain response', () => {
  const posted = createRouteTable([{ ...route('POST /{name}/log'), stream: true }])
  for (const isWatch of [false, true]) {
    expect(posted.find({ method: 'POST', path: `${base}/x/log`, isWatch })).toMatchObject({ parameters: { name: 'x' } })
  }
})

const clashes: readonly (readonly [one: string, other: string, expected: boolean])[] = [
  ['GET /a', 'GET /a', true],
  ['GET /a', 'POST /a', false],
  ['GET /{name}/a', 'GET /-/a', false],
  ['GET /{name}/a', 'GET /{other}/a', true],
  ['GET /{name}/a', 'GET /{other}/b', false],
  ['GET /{name}/a/b/{part}', 'GET /-/a/b/x', false],
  ['GET /-/a/b/{part}', 'GET /{name}/a/b/x', true],
  ['GET /a/b', 'GET /a/b/c', false],
]
for (const [one, other, expected] of clashes) {
  test(`${one} and ${other} ${expected ? 'clash' : 'do not clash'}, in either order`, () => {
    expect([routesClash(route(one), route(other)), routesClash(route(other), route(one))]).toEqual([expected, expected])
  })
}

test('a stream and a plain response do not clash; two streams do', () => {
  const stream = { ...route('GET /news'), stream: true }
  expect([routesClash(stream, route('GET /news')), routesClash(stream, stream)]).toEqual([false, true])
})
