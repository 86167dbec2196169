import { requestInfo, type RequestInfo } from '@pergola/api'
import { setImmediate as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Caller } from '../../call/call.ts'
import { createAuthorize } from './authorize.ts'
import { createRoleBook, type HeldRoles } from './role-book.ts'

const readRoles = { apiGroups: [''], resources: ['roles'], verbs: ['get'] }
const nothing = { dependencies: [], aggregatesTo: [], uiPermissions: [] }
const book = createRoleBook(
  [
    { ...nothing, name: 'anonymous', rules: [] },
    { ...nothing, name: 'reader', rules: [readRoles] },
  ],
  { pluginOf: () => undefined },
)
const anonymous = book.hold([{ name: 'anonymous' }])
const reader = book.hold([{ name: 'anonymous' }, { name: 'reader', binding: 'ann-reader' }])
const rolesOf = (caller: Caller) => (caller.kind === 'user' ? reader : anonymous)
const authorize = createAuthorize({ rolesOf })
const ann = { kind: 'user', name: 'ann', uid: '1', via: 'token' } as const
const ask = (method: string, target: string) => requestInfo({ method, target, headers: {} })

test('an allowed request carries the rule that allowed it', async () => {
  expect(await authorize(ann, ask('GET', '/api/v1alpha1/roles/author'))).toMatchObject({
    allowed: true,
    by: { rule: readRoles, index: 0, reached: { definition: { name: 'reader' } } },
  })
})

test('a denial names the caller, the request and the roles that the caller holds', async () => {
  expect(await denial(ann, ask('PUT', '/apis/g.example/v1/todos/milk/status'))).toBe(
    'ann may not update todos/status "milk" in g.example; holds anonymous, reader',
  )
  expect(await denial({ kind: 'anonymous' }, ask('GET', '/metrics'))).toBe(
    'anonymous may not get /metrics; holds anonymous',
  )
})

test('a denial for a plugin contains the rule to add to its permissions', async () => {
  const plugin = { kind: 'plugin', name: 'plugin:todo', plugin: 'todo', start: '1' } as const
  const asked = 'to ask an operator for it, add to "permissions" of the plugin '
  expect(await denial(plugin, ask('PUT', '/apis/g.example/v1/todos/milk/status'))).toBe(
    `plugin:todo may not update todos/status "milk" in g.example; ${asked}{"apiGroups":["g.example"],"resources":["todos/status"],"resourceNames":["milk"],"verbs":["update"]}`,
  )
  expect(await denial(plugin, ask('GET', '/metrics'))).toBe(
    `plugin:todo may not get /metrics; ${asked}{"nonResourceURLs":["/metrics"],"verbs":["get"]}`,
  )
})

test('roles can be looked up asynchronously', async () => {
  const slowly = createAuthorize({
    rolesOf: async (caller): Promise<HeldRoles> => {
      await pause()
      return rolesOf(caller)
    },
  })
  const request = ask('GET', '/api/v1alpha1/roles/author')
  expect((await slowly(ann, request)).allowed).toBe(true)
  expect((await slowly({ kind: 'anonymous' }, request)).allowed).toBe(false)
})

test('a caller without roles, or only with roles that do not exist, is denied', async () => {
  const request = ask('GET', '/api/v1alpha1/roles/author')
  const none = createAuthorize({ rolesOf: () => book.hold([]) })
  expect(await denial(ann, request, none)).toMatch(/; holds no role$/)
  const gone = createAuthorize({ rolesOf: () => book.hold([{ name: 'deleted', binding: 'ann-deleted' }]) })
  expect((await gone(ann, request)).allowed).toBe(false)
})

async function denial(caller: Caller, request: RequestInfo, by = authorize): Promise<string> {
  const decision = await by(caller, request)
  return decision.allowed ? 'allowed' : decision.reason()
}
