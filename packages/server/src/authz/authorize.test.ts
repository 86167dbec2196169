import { requestInfo } from '@pergola/api'
import { expect, test } from 'vitest'
import { createAuthorize, type RoleSource } from './authorize.ts'

const source: RoleSource = {
  rolesOf: (caller) => [
    { name: 'anonymous', rules: [] },
    ...(caller.kind === 'user'
      ? [{ name: 'reader', rules: [{ apiGroups: [''], resources: ['roles'], verbs: ['get'] }] }]
      : []),
  ],
}
const authorize = createAuthorize(source)
const ann = { kind: 'user', name: 'ann' } as const
const ask = (method: string, target: string) => requestInfo({ method, target, headers: {} })

test('an allowed request carries the role that allowed it', () => {
  expect(authorize(ann, ask('GET', '/api/v1alpha1/roles/author'))).toEqual({
    allowed: true,
    reason: 'reader',
  })
})

test('a denied request says who may not do what, and what they hold', () => {
  expect(authorize(ann, ask('PUT', '/apis/g.example/v1/todos/milk/status'))).toEqual({
    allowed: false,
    reason: 'ann may not update todos/status "milk" in g.example; holds anonymous, reader',
  })
  expect(authorize({ kind: 'anonymous' }, ask('GET', '/metrics'))).toEqual({
    allowed: false,
    reason: 'anonymous may not get /metrics; holds anonymous',
  })
})

test('a caller without any role is denied', () => {
  expect(createAuthorize({ rolesOf: () => [] })(ann, ask('GET', '/livez')).allowed).toBe(false)
})
