import { requestInfo, type Rule } from '@pergola/api'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Todo } from '../../../../examples/todo/src/plugin.ts'
import { ruleMatches } from '../../../server/src/access/decisions/rule-matches.ts'
import { definePlugin, inspect, roleTemplate, route, type AnyRoute, type RouteLine } from '../index.ts'
import { DefinitionError } from './faults.ts'

const base = '/apis/uc.api.todo.example.com/v1alpha1'

function rulesOf(line: RouteLine, options: { readonly stream?: boolean } = {}): readonly Rule[] | undefined {
  const all = roleTemplate('all', { displayName: 'All' })
  const routes = [route(line, { allow: all, ...options }, () => ({}))]
  return inspect(definePlugin({ name: 'todo', models: [Todo], roles: [all], uc: routes })).roles[0]?.rules
}

describe('the rule of a route', () => {
  const apiGroups = ['uc.api.todo.example.com']
  const cases: readonly (readonly [line: RouteLine, rule: Rule])[] = [
    ['GET /todos', { apiGroups, resources: ['todo/todos'], verbs: ['list'] }],
    ['GET /todos/:name', { apiGroups, resources: ['todo/todos'], verbs: ['get'] }],
    ['GET /todos/-', { apiGroups, resources: ['todo/todos'], resourceNames: ['-'], verbs: ['get'] }],
    ['POST /todos', { apiGroups, resources: ['todo/todos'], verbs: ['create'] }],
    ['PUT /todos/:name', { apiGroups, resources: ['todo/todos'], verbs: ['update'] }],
    ['PATCH /todos/:name', { apiGroups, resources: ['todo/todos'], verbs: ['patch'] }],
    ['DELETE /todos/:name', { apiGroups, resources: ['todo/todos'], verbs: ['delete'] }],
    ['DELETE /todos', { apiGroups, resources: ['todo/todos'], verbs: ['deletecollection'] }],
    ['POST /todos/:name/share', { apiGroups, resources: ['todo/todos/share'], verbs: ['create'] }],
    ['POST /todos/-/share', { apiGroups, resources: ['todo/todos/share'], resourceNames: ['-'], verbs: ['create'] }],
    ['GET /todos/:name/parts/:part', { nonResourceURLs: [`${base}/todos/*`], verbs: ['get'] }],
    ['PUT /todos/-/parts/:part', { nonResourceURLs: [`${base}/todos/-/parts/*`], verbs: ['update'] }],
    ['GET /todos/-/parts/all', { nonResourceURLs: [`${base}/todos/-/parts/all`], verbs: ['get'] }],
  ]
  for (const [line, rule] of cases) test(line, () => expect(rulesOf(line)).toEqual([rule]))

  test('of a stream has the verb watch', () => {
    expect(rulesOf('GET /todos', { stream: true })).toEqual([
      { apiGroups, resources: ['todo/todos'], verbs: ['watch'] },
    ])
    expect(rulesOf('GET /todos/-/parts/all', { stream: true })).toMatchObject([{ verbs: ['watch'] }])
  })
})

/** `CASES=<factor>` multiplies the cases of every property test. */
const runs = 400 * Number(process.env['CASES'] ?? 1)
const words = ['-', 'a', 'b']
const segment = fc.constantFrom(...words, ':x', ':y')
const path = fc.tuple(fc.constantFrom('todos', 'lists'), fc.array(segment, { maxLength: 3 }))
const lines = fc.tuple(fc.constantFrom('GET', 'PUT', 'DELETE'), path).map(([method, [resource, rest]]) => {
  return `${method} /${[resource, ...rest].join('/')}` as RouteLine
})

/**
 * Evaluates the inferred rules as the host does. In a plugin that passes inspection, a user with one template may make a request
 * if and only if the route that answers it has that template. The fourth route has no template.
 */
test('rules of routes allow exactly the requests of the routes with their template', () => {
  let sound = 0
  const one = roleTemplate('one', { displayName: 'One' })
  const two = roleTemplate('two', { displayName: 'Two' })
  const holds = fc.property(fc.uniqueArray(lines, { minLength: 2, maxLength: 4 }), (written) => {
    const routes = written.map((line, at) =>
      route(line, at === 3 ? {} : { allow: at % 2 === 0 ? one : two }, () => ({})),
    )
    const roles = inspected(routes, [one, two])
    if (!roles) return
    sound++
    for (const request of requests()) {
      const answers = answeringRoute(routes, request)
      const info = requestInfo({ method: request.method, target: `${base}${request.path}`, headers: {} })
      const allowed = [one, two].filter((_, at) => roles[at]?.rules.some((rule) => ruleMatches(rule, info, 'todo')))
      const due = answers?.allow ? [answers.allow] : []
      if (answers) expect(allowed, `${request.method} ${request.path} of ${written.join(', ')}`).toEqual(due)
    }
  })
  fc.assert(holds, { numRuns: runs })
  expect(sound).toBeGreaterThan(runs / 10)
})

function inspected(uc: readonly AnyRoute[], roles: readonly ReturnType<typeof roleTemplate>[]) {
  try {
    return inspect(definePlugin({ name: 'todo', models: [Todo], roles, uc })).roles
  } catch (error) {
    if (error instanceof DefinitionError) return undefined
    throw error
  }
}

interface TestRequest {
  readonly method: string
  readonly path: string
}

/** All requests that can be built from these words. */
function requests(): readonly TestRequest[] {
  const paths = ['/todos', '/lists'].flatMap((start) => deeper([start], 3))
  return ['GET', 'PUT', 'DELETE'].flatMap((method) => paths.map((one) => ({ method, path: one })))
}

function deeper(paths: readonly string[], times: number): readonly string[] {
  if (times === 0) return paths
  return [
    ...paths,
    ...deeper(
      paths.flatMap((one) => words.map((word) => `${one}/${word}`)),
      times - 1,
    ),
  ]
}

/** The most specific matching route, as a router chooses it. */
function answeringRoute(routes: readonly AnyRoute[], request: TestRequest): AnyRoute | undefined {
  const steps = request.path.split('/')
  const matching = routes.filter((one) => {
    const parts = one.path.split('/')
    const isSame =
      parts.length === steps.length && parts.every((part, at) => part.startsWith(':') || part === steps[at])
    return isSame && one.method === request.method
  })
  const parameters = ({ path: own }: AnyRoute) => own.split('/:').length
  return matching.toSorted((first, second) => parameters(first) - parameters(second))[0]
}
