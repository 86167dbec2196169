import { expect, test, vi } from 'vitest'
import type { Call } from '../../call/call.ts'
import { systemClock as clock } from '../../base/clock.ts'
import { createPasswords } from '../../credentials/passwords.ts'
import { openRevocations } from '../../credentials/revocations.ts'
import { statement } from '../../store/sql.ts'
import { createSessions } from '../../credentials/sessions.ts'
import { declarationOf } from '../../models/model.ts'
import { createAccessModels } from '../../access/access-models.ts'
import { noRights } from '../../access/rights.ts'
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts'
import { createLoginLimits } from '../../credentials/login-limits.ts'
import { changePassword } from './password-endpoint.ts'

const ann = { uid: '1', name: 'ann' }
const [current, next] = ['correct horse', 'battery staple']

test('changing the password and ending the other sessions are one transaction', async () => {
  await using store = openSqliteStore(':memory:')
  const passwords = createPasswords(store, clock)
  const sessions = createSessions(store, clock, { idleMs: 3_600_000, mostMs: 3_600_000 })
  const { tokens } = createAccessModels({ store, clock, rights: noRights })
  await store.openModel(declarationOf(tokens))
  await openRevocations(store)
  const parts = { store, clock, passwords, tokens, limits: createLoginLimits(store, clock), onEnd: () => {} }
  await store.write([], { also: [(await passwords.set(ann.uid, current)).write] })
  const begin = { user: ann, transport: 'token', address: '127.0.0.1', agent: 'test' } as const
  const [here, there] = [await sessions.begin(begin), await sessions.begin(begin)]
  const change = () => changePassword(parts, callOf({ current, new: next }, here.session.id))

  const write = vi.spyOn(store, 'write').mockImplementationOnce(async (operations, options) => {
    // Fails with its last statement.
    const also = [...(options?.also ?? []), statement('INSERT INTO nowhere VALUES (1)')]
    return store.write(operations, { ...options, also })
  })
  await expect(change()).rejects.toThrow('nowhere')
  write.mockRestore()
  expect(await passwords.check(ann.uid, current)).toBeDefined()
  expect(await sessions.find(there.secret)).toBeDefined()

  expect(await change()).toMatchObject({ status: 200 })
  expect(await passwords.check(ann.uid, next)).toBeDefined()
  expect(await sessions.find(there.secret)).toBeUndefined()
  expect(await sessions.find(here.secret)).toBeDefined()
})

function callOf(body: object, sessionId: string): Call {
  return {
    info: { kind: 'non-resource', verb: 'update', path: '/auth/password' },
    caller: { kind: 'user', ...ann, via: 'token', sessionId },
    request: {
      id: 'r-1',
      method: 'PUT',
      target: '/auth/password',
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
