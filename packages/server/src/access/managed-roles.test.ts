import { describe, expect, inject, test } from 'vitest'
import { declarationOf } from '../models/model.ts'
import { postgresFixture } from '../store/contract/postgres-fixture.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import { GuardFailed } from '../store/guard-failed.ts'
import {
  findIdentity,
  identityBelongsTo,
  insertIdentity,
  listIdentities,
  recordLogin,
  unusedBoundIdentities,
} from '../store/records/identities.ts'
import type { Store } from '../store/store.ts'
import { removeExpiredRoles } from './remove-expired-roles.ts'
import { replaceManagedRoles } from './managed-roles.ts'
import { accessKeys } from './access-keys.ts'
import { noRights } from './rights.ts'
import { createRoleBindingModel } from './role-binding-model.ts'

const engines: readonly (readonly [name: string, open: () => Promise<AsyncDisposable & { store: Store }>])[] = [
  [
    'SQLite',
    async () => {
      const store = openSqliteStore(':memory:')
      return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
    },
  ],
  ['PostgreSQL', () => postgresFixture(inject('postgres')['18'], (url) => ({ url }))],
]

const issuer = 'https://a.example/'
const ann = { uid: 'uid-of-ann', name: 'ann' }
const identity = { issuer, subject: 's' }

async function setUp(store: Store) {
  let now = 1_000_000
  const clock = { now: () => now }
  const { roles } = accessKeys
  const bindings = createRoleBindingModel({ store, rights: noRights, inTurn: (write) => write() })
  await store.openModel(declarationOf(bindings))
  const parts = { store, clock, roles, bindings }
  return {
    advance: (milliseconds: number) => (now += milliseconds),
    signIn: async (given: readonly string[], from = issuer) => {
      const { operations } = await replaceManagedRoles(parts, { issuer: from, user: ann, roles: given })
      const who = { ...identity, issuer: from }
      await store.write(operations, { also: [insertIdentity(who, ann, now), recordLogin(who, given, now)] })
      return operations.length
    },
    removeExpired: () => removeExpiredRoles({ store, clock, bindings, maxAgeMs: 500 }),
    countBindings: async () => (await store.list(bindings, { limit: 100 })).items.length,
  }
}

for (const [engine, open] of engines) {
  describe(`${engine}:`, () => {
    test('a login replaces the roles of its issuer and keeps those of other issuers', async () => {
      await using opened = await open()
      const { signIn, countBindings } = await setUp(opened.store)
      await signIn(['author', 'visitor'])
      expect(await countBindings()).toBe(2)
      await signIn(['author'])
      expect(await countBindings()).toBe(1)
      await signIn(['author'], 'https://b.example/')
      await signIn([])
      expect(await countBindings()).toBe(1)
    })

    test('a login that changes nothing writes no binding', async () => {
      await using opened = await open()
      const { signIn } = await setUp(opened.store)
      expect(await signIn(['author', 'visitor'])).toBe(2)
      expect(await signIn(['visitor', 'author'])).toBe(0)
      expect(await signIn(['visitor'])).toBe(1)
    })

    test('expired bindings are removed, renewed ones stay', async () => {
      await using opened = await open()
      const { signIn, countBindings, removeExpired, advance } = await setUp(opened.store)
      await signIn(['author', 'visitor'])
      await signIn(['author'], 'https://b.example/')
      advance(400)
      await signIn(['author'], 'https://b.example/')
      await removeExpired()
      expect(await countBindings()).toBe(3)
      advance(200)
      await removeExpired()
      expect(await countBindings()).toBe(1)
      expect(await findIdentity(opened.store, identity)).toMatchObject({ uid: ann.uid, roles: ['author', 'visitor'] })
      expect(await unusedBoundIdentities(opened.store, Number.MAX_SAFE_INTEGER, 10)).toHaveLength(1)
      advance(400)
      await removeExpired()
      expect(await countBindings()).toBe(0)
      await signIn(['author'])
      expect(await countBindings()).toBe(1)
    })

    test('an identity belongs to one user, and a user has one identity per issuer', async () => {
      await using opened = await open()
      const { store } = opened
      const ben = { uid: 'uid-of-ben', name: 'ben' }
      const link = async (who: typeof identity, user: typeof ann) => {
        await store.write([], { also: [insertIdentity(who, user, 0)] })
        const belongs = store.write([], { guards: [identityBelongsTo(who, user.uid)] })
        return belongs.then(
          () => true,
          (error: unknown) => !(error instanceof GuardFailed),
        )
      }
      expect(await link(identity, ann)).toBe(true)
      expect(await link(identity, ann)).toBe(true)
      expect(await link(identity, ben)).toBe(false)
      expect(await link({ ...identity, subject: 't' }, ann)).toBe(false)
      expect(await link({ ...identity, subject: 't' }, ben)).toBe(true)
      expect((await listIdentities(store, ann.uid)).map(({ subject }) => subject)).toEqual(['s'])
    })
  })
}
