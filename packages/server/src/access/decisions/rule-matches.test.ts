import { requestInfo, type RequestInfo, type Rule } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import { ruleMatches } from './rule-matches.ts'
import { isUnderstood } from './understood-rule.ts'

const todos = { apiGroups: ['g.example'], resources: ['todos'], verbs: ['get', 'list'] }
const oneTodo = { ...todos, resourceNames: ['milk'] }
const everything = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }
const status = { apiGroups: ['g.example'], resources: ['todos/status'], verbs: ['update'] }
const files = { nonResourceURLs: ['/files/*', '/livez'], verbs: ['get'] }
const anyPath = { nonResourceURLs: ['*'], verbs: ['*'] }
const below = { nonResourceURLs: ['/*'], verbs: ['get'] }
/** In the tests the plugin `todo` owns the group p.example. */
const prefixed = { apiGroups: ['p.example', 'g.example'], resources: ['todo/todos'], verbs: ['get'] }
const prefixedStatus = { apiGroups: ['*'], resources: ['todo/todos/status'], verbs: ['update'] }
const plain = { apiGroups: ['p.example'], resources: ['todos'], verbs: ['get'] }

const cases: readonly (readonly [allowed: boolean, what: string, rule: Rule, request: string])[] = [
  [true, 'a collection that a rule names', todos, 'GET /apis/g.example/v1/todos'],
  [true, 'an object of it', todos, 'GET /apis/g.example/v1/todos/milk'],
  [true, 'the collection in any version', todos, 'GET /apis/g.example/v2beta1/todos'],
  [false, 'another verb', todos, 'DELETE /apis/g.example/v1/todos/milk'],
  [false, 'another group', todos, 'GET /apis/h.example/v1/todos'],
  [false, 'another resource', todos, 'GET /apis/g.example/v1/todo'],
  [
    false,
    'a sub-resource, which a rule on the resource does not cover',
    todos,
    'GET /apis/g.example/v1/todos/milk/status',
  ],
  [true, 'the named object', oneTodo, 'GET /apis/g.example/v1/todos/milk'],
  [false, 'an object that is not named', oneTodo, 'GET /apis/g.example/v1/todos/eggs'],
  [false, 'the collection, when the rule lists names', oneTodo, 'GET /apis/g.example/v1/todos'],
  [
    true,
    'every name, when the list of names is empty',
    { ...todos, resourceNames: [] },
    'GET /apis/g.example/v1/todos',
  ],
  [true, 'a sub-resource that a rule names', status, 'PUT /apis/g.example/v1/todos/milk/status'],
  [false, 'the object beside that sub-resource', status, 'PUT /apis/g.example/v1/todos/milk'],
  [
    true,
    'the name "-" where it is listed',
    { ...status, resourceNames: ['-'] },
    'PUT /apis/g.example/v1/todos/-/status',
  ],
  [
    false,
    'another name where "-" is listed',
    { ...status, resourceNames: ['-'] },
    'PUT /apis/g.example/v1/todos/milk/status',
  ],
  [true, "a plugin's resource under its plain name", plain, 'GET /apis/p.example/v1/todos/milk'],
  [true, "a plugin's resource under the plugin's prefix", prefixed, 'GET /apis/p.example/v1/todos/milk'],
  [false, 'the prefix in a group without a plugin', prefixed, 'GET /apis/g.example/v1/todos/milk'],
  [false, 'a sub-resource by a prefixed resource', prefixed, 'GET /apis/p.example/v1/todos/milk/status'],
  [true, 'a prefixed sub-resource', prefixedStatus, 'PUT /apis/p.example/v1/todos/milk/status'],
  [false, 'the resource beside a prefixed sub-resource', prefixedStatus, 'PUT /apis/p.example/v1/todos/milk'],
  [true, 'any resource by wildcards', everything, 'DELETE /apis/x.example/v1/things'],
  [true, 'any sub-resource by wildcards', everything, 'POST /apis/x.example/v1/things/-/counts'],
  [true, 'the core group by wildcards', everything, 'GET /api/v1alpha1/roles'],
  [false, 'a path by a resource rule with wildcards', everything, 'GET /livez'],
  [true, 'an exact path', files, 'GET /livez'],
  [true, 'HEAD where get is allowed', files, 'HEAD /livez'],
  [false, 'a longer path than the exact one', files, 'GET /livez/x'],
  [true, 'a path below a prefix', files, 'GET /files/a/b'],
  [false, 'the prefix itself', files, 'GET /files'],
  [false, 'a path that only begins like the prefix', files, 'GET /filesystem'],
  [true, 'everything below the root', below, 'GET /livez'],
  [false, 'the root itself', below, 'GET /'],
  [true, 'any path by a wildcard', anyPath, 'POST /auth/sessions'],
  [false, 'a resource by a path rule with a wildcard', anyPath, 'GET /api/v1alpha1/roles'],
  [true, 'a seven-segment path, which is no resource', anyPath, 'GET /apis/g.example/v1/a/b/c/d'],
]

const requests = [
  'GET /apis/g.example/v1/todos/milk',
  'GET /apis/g.example/v1/todos/milk/status',
  'GET /livez',
  'GET /files/a',
]

/** Without the defect, each rule would allow one of the requests. */
const odd: readonly (readonly [what: string, rule: unknown])[] = [
  ['no verbs', { ...todos, verbs: [] }],
  ['a verb that is not known', { ...todos, verbs: ['get', 'approve'] }],
  ['verbs that are no list', { ...todos, verbs: 'get' }],
  ['verbs left out', { apiGroups: ['*'], resources: ['*'] }],
  ['both kinds', { ...todos, ...files }],
  ['both kinds, one of them empty', { ...todos, nonResourceURLs: [] }],
  ['paths and names', { ...files, resourceNames: [] }],
  ['a field that is not known', { ...everything, namespaces: ['one'] }],
  ['a field that every object inherits', { ...everything, toString: [] }],
  ['resources left out', { apiGroups: ['g.example'], verbs: ['get'] }],
  ['groups left out', { resources: ['todos'], verbs: ['get'] }],
  ['a star inside a group', { ...todos, apiGroups: ['g.example', '*.example'] }],
  ['a star inside a resource', { ...todos, resources: ['todos', 'todos/*'] }],
  ['a star for the plugin', { ...todos, resources: ['todos', '*/todos'] }],
  ['a star as a name', { ...todos, resourceNames: ['milk', '*'] }],
  ['a name that is no text', { ...todos, resourceNames: ['milk', 1] }],
  ['names that are null', { ...todos, resourceNames: null }],
  ['a star inside a path', { ...files, nonResourceURLs: ['/livez', '/files/*/a'] }],
  ['a star that does not follow a slash', { ...files, nonResourceURLs: ['/livez', '/li*'] }],
  ['two stars', { ...files, nonResourceURLs: ['/livez', '/files/*/*'] }],
  ['nothing at all', {}],
  ['null', null],
  ['text', 'get'],
  ['a list', [todos]],
]

describe('a rule', () => {
  for (const [allowed, what, rule, request] of cases) {
    test(`${allowed ? 'allows' : 'does not allow'} ${what}`, () => {
      const info = ask(request)
      const plugin = info.kind === 'resource' && info.group === 'p.example' ? 'todo' : undefined
      expect(ruleMatches(rule, info, plugin)).toBe(allowed)
    })
  }
  for (const [what, rule] of odd) {
    test(`with ${what} is not understood and never matches`, () => {
      const matched = requests.filter((line) => ruleMatches(rule as Rule, ask(line)))
      expect(matched).toEqual([])
      expect(isUnderstood(rule)).toBe(false)
    })
  }
})

function ask(line: string): RequestInfo {
  const [method = '', target = ''] = line.split(' ')
  return requestInfo({ method, target, headers: {} })
}
