import { expect, test } from 'vitest'
import { createRoleBook } from '../access/decisions/role-book.ts'
import type { Call } from '../call/call.ts'
import { reviewAccess } from './access-reviews.ts'

const roleCount = 1_000
const rulesPerRole = 20
const reviews = 100

/** Two million rules are evaluated, which takes much longer than one turn of the event loop on any machine. */
test('a batch of denied reviews yields to the event loop', async () => {
  const book = createRoleBook(
    Array.from({ length: roleCount }, (_, role) => ({
      name: `role-${role}`,
      rules: Array.from({ length: rulesPerRole }, (__, rule) => ({
        apiGroups: [`group-${rule}.example.com`],
        resources: [`things-${role}`],
        verbs: ['get'],
      })),
      dependencies: [],
      aggregatesTo: [],
      uiPermissions: [],
    })),
    { pluginOf: () => undefined },
  )
  const held = book.hold([{ name: 'role-1', binding: 'one' }])
  const rights = {
    rolesOf: () => held,
    readBook: async () => book,
    asIn: () => rights,
    readCaller: async () => held,
    readUser: async () => held,
    readBound: async () => held,
  }
  let turns = 0
  let done = false
  const count = () => {
    turns++
    if (!done) setImmediate(count)
  }
  setImmediate(count)
  const requests = Array.from({ length: reviews }, () => ({ verb: 'delete', resource: 'things', name: 'a' }))
  const answer = await reviewAccess(rights, callOf({ requests }))
  done = true
  const { items } = JSON.parse((answer.body as Buffer).toString()) as { items: { allowed: boolean }[] }
  expect(items.filter(({ allowed }) => !allowed)).toHaveLength(reviews)
  expect(turns).toBeGreaterThan(5)
})

function callOf(body: object): Call {
  return {
    info: {
      kind: 'resource',
      verb: 'create',
      path: '',
      group: 'api.platform.run',
      version: 'v1alpha1',
      resource: 'accessreviews',
    },
    caller: { kind: 'user', name: 'ann', uid: '1', via: 'token' },
    request: {
      id: 'r-1',
      method: 'POST',
      target: '/apis/api.platform.run/v1alpha1/accessreviews',
      headers: { 'content-type': 'application/json' },
      query: new URLSearchParams(),
      address: '127.0.0.1',
      readBody: async () => Buffer.from(JSON.stringify(body)),
      signal: () => new AbortController().signal,
      note: () => {},
    },
    authenticate: async () => ({ kind: 'anonymous' }),
    recheck: async () => ({ kind: 'anonymous' }),
  }
}
