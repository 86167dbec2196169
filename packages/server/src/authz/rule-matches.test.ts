import { requestInfo, type Rule } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import { ruleMatches } from './rule-matches.ts'

const todos = { apiGroups: ['g.example'], resources: ['todos'], verbs: ['get', 'list'] }
const oneTodo = { ...todos, resourceNames: ['milk'] }
const everything = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }
const status = { apiGroups: ['g.example'], resources: ['todos/status'], verbs: ['update'] }
const files = { nonResourceURLs: ['/files/*', '/livez'], verbs: ['get'] }
const anyPath = { nonResourceURLs: ['*'], verbs: ['*'] }

const cases: readonly (readonly [allowed: boolean, what: string, rule: Rule, request: string])[] = [
  [true, 'a collection that a rule names', todos, 'GET /apis/g.example/v1/todos'],
  [true, 'an object of it', todos, 'GET /apis/g.example/v1/todos/milk'],
  [true, 'it in any version', todos, 'GET /apis/g.example/v2beta1/todos'],
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
  [true, 'any resource by stars', everything, 'DELETE /apis/x.example/v1/things'],
  [true, 'any sub-resource by stars', everything, 'POST /apis/x.example/v1/things/-/counts'],
  [true, 'the core group by stars', everything, 'GET /api/v1alpha1/roles'],
  [false, 'a path by a resource rule, stars or not', everything, 'GET /livez'],
  [true, 'an exact path', files, 'GET /livez'],
  [true, 'HEAD where get is allowed', files, 'HEAD /livez'],
  [false, 'a longer path than the exact one', files, 'GET /livez/x'],
  [true, 'a path below a prefix', files, 'GET /files/a/b'],
  [false, 'the prefix itself', files, 'GET /files'],
  [false, 'a path that only begins like the prefix', files, 'GET /filesystem'],
  [true, 'any path by a star', anyPath, 'POST /auth/sessions'],
  [false, 'a resource by a path rule, star or not', anyPath, 'GET /api/v1alpha1/roles'],
  [true, 'a seven-segment path, which is no resource', anyPath, 'GET /apis/g.example/v1/a/b/c/d'],
]

describe('a rule', () => {
  for (const [allowed, what, rule, request] of cases) {
    test(`${allowed ? 'allows' : 'does not allow'} ${what}`, () => {
      const [method = '', target = ''] = request.split(' ')
      expect(ruleMatches(rule, requestInfo({ method, target, headers: {} }))).toBe(allowed)
    })
  }
})
