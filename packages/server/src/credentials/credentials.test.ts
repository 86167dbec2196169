import { randomUUID } from 'node:crypto'
import { createLog } from '../base/log.ts'
import { describe, expect, inject, test } from 'vitest'
import { createLogFeed } from '../feed/log-feed.ts'
import { postgresFixture } from '../store/contract/postgres-fixture.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { forgetExpired } from './forget-expired.ts'
import { createKnownCredentials } from './known-credentials.ts'
import { createOidcLogins } from './oidc-logins.ts'
import { createPasswords } from './passwords.ts'
import { openRevocations, revoked } from './revocations.ts'
import { digestOf, newSecret } from './secret.ts'
import { createSessions, type SessionLimits } from './sessions.ts'
import { deleteTokenDigest, findTokenOwner, insertTokenDigest } from '../store/records/token-digests.ts'
import { sql, statement } from '../store/sql.ts'

const ann = { uid: randomUUID(), name: 'ann' }
const hour = 3_600_000
const log = createLog({ level: 'error', pretty: false, write: () => {} })

const limits: SessionLimits = { idleMs: 12 * hour, mostMs: 30 * 24 * hour }

function openCredentials(store: Store) {
  let now = Date.now()
  const clock = { now: () => now }
  const withLimits = (others: SessionLimits) => createSessions(store, clock, others)
  const sessions = createSessions(store, clock, limits)
  return {
    clock,
    sessions,
    withLimits,
    passwords: createPasswords(store, clock),
    pass: (milliseconds: number) => (now += milliseconds),
    know: async () => {
      const feed = createLogFeed(store, log)
      await feed.start()
      const known = createKnownCredentials({ store, feed, sessions, clock })
      return {
        find: (secret: string) => known.find(secret),
        [Symbol.dispose]: () => {
          known[Symbol.dispose]()
          feed[Symbol.dispose]()
        },
      }
    },
  }
}

const begin = { user: ann, transport: 'token', address: '127.0.0.1', agent: 'test' } as const

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

for (const [engine, openEngine] of engines) {
  const open = async () => {
    const opened = await openEngine()
    await openRevocations(opened.store)
    return opened
  }
  describe(`${engine}:`, () => {
    test('an OIDC login is completed once, before it expires, by the browser that started it', async () => {
      await using opened = await open()
      const { clock, pass } = openCredentials(opened.store)
      const logins = createOidcLogins(opened.store, clock)
      const login = { provider: 'a', nonce: 'n', verifier: 'v', returnTo: '/', linking: { uid: 'u', sessionId: 's' } }
      const begun = (state: string) => logins.begin(login, { state, browser: 'mine', address: '127.0.0.1' })
      await begun('one')
      expect(await logins.end({ state: 'one', browser: 'another' })).toBeUndefined()
      expect(await logins.end({ state: 'one', browser: 'mine' })).toEqual(login)
      expect(await logins.end({ state: 'one', browser: 'mine' })).toBeUndefined()
      await begun('two')
      pass(hour)
      expect(await logins.end({ state: 'two', browser: 'mine' })).toBeUndefined()
      await forgetExpired(opened.store, clock)
      expect(await opened.store[sql](statement('SELECT state FROM oidc_logins'))).toEqual([])
    })

    test('the number of pending OIDC logins per address is limited', async () => {
      await using opened = await open()
      const { clock, pass } = openCredentials(opened.store)
      const logins = createOidcLogins(opened.store, clock)
      const login = { provider: 'a', nonce: 'n', verifier: 'v', returnTo: '/' }
      const beginAt = (state: number, address: string) =>
        logins.begin(login, { state: String(state), browser: 'b', address })
      for (let state = 0; state < 500; state++) await beginAt(state, 'mine')
      await expect(beginAt(500, 'mine')).rejects.toMatchObject({ reason: 'TooManyRequests' })
      await beginAt(501, 'theirs')
      pass(hour)
      await beginAt(502, 'mine')
    })

    test('a session is found by its secret, listed without it, and ended', async () => {
      await using opened = await open()
      const { sessions } = openCredentials(opened.store)
      const { secret, session } = await sessions.begin(begin)
      expect(secret).toMatch(/^pgs_[\w-]{43}$/)
      expect(await sessions.find(secret)).toEqual(session)
      expect(await sessions.find(newSecret('pgs_'))).toBeUndefined()
      expect(await sessions.of(ann.uid)).toEqual([session])
      expect(await sessions.end(randomUUID(), session.id)).toBe(false)
      expect(await sessions.end(ann.uid, session.id)).toBe(true)
      expect(await sessions.find(secret)).toBeUndefined()
    })

    test('ending a session and recording its revocation are one transaction', async () => {
      await using opened = await open()
      const { sessions } = openCredentials(opened.store)
      const { secret, session } = await sessions.begin(begin)
      await opened.store.closeModel({ group: '', plural: 'revocations' })
      await expect(sessions.end(ann.uid, session.id)).rejects.toThrow('revocations')
      expect(await sessions.find(secret)).toEqual(session)
    })

    test('a session expires 12 hours after its last use, and after 30 days at the latest', async () => {
      await using opened = await open()
      const { sessions, pass } = openCredentials(opened.store)
      const idle = await sessions.begin(begin)
      const used = await sessions.begin(begin)
      expect(used.session.endsAt - used.session.createdAt).toBe(30 * 24 * hour)
      pass(11 * hour)
      expect(await sessions.find(used.secret)).toBeDefined()
      pass(2 * hour)
      expect(await sessions.find(idle.secret)).toBeUndefined()
      for (let day = 0; day < 29.5; day += 0.4) {
        expect(await sessions.find(used.secret)).toBeDefined()
        pass(0.4 * 24 * hour)
      }
      pass(hour)
      expect(await sessions.find(used.secret)).toBeUndefined()
    })

    test('shorter limits count for the sessions that exist, and longer ones do not revive what has ended', async () => {
      await using opened = await open()
      const { sessions, withLimits, pass } = openCredentials(opened.store)
      const short = withLimits({ idleMs: hour, mostMs: 3 * hour })
      const { secret, session } = await sessions.begin(begin)
      expect((await short.find(secret))?.expiresAt).toBe(session.createdAt + hour)
      pass(hour)
      expect(await short.find(secret)).toBeUndefined()
      expect(await short.of(ann.uid)).toEqual([])
      expect(await sessions.find(secret)).toMatchObject({ id: session.id })

      const begun = await short.begin(begin)
      expect(begun.session.endsAt - begun.session.createdAt).toBe(3 * hour)
      for (let quarters = 0; quarters < 11; quarters++) {
        pass(hour / 4)
        expect(await short.find(begun.secret)).toBeDefined()
      }
      pass(hour / 4)
      expect(await short.find(begun.secret)).toBeUndefined()
      expect(await sessions.find(begun.secret)).toBeUndefined()
    })

    test('with a short idle time, usage is recorded often enough', async () => {
      await using opened = await open()
      const { withLimits, pass } = openCredentials(opened.store)
      const brief = withLimits({ idleMs: hour / 12, mostMs: hour })
      const { secret } = await brief.begin(begin)
      for (let minutes = 0; minutes < 30; minutes += 2) {
        pass(hour / 30)
        expect(await brief.find(secret)).toBeDefined()
      }
    })

    test('only expired sessions and revocations are removed', async () => {
      await using opened = await open()
      const { sessions, pass, clock } = openCredentials(opened.store)
      const rows = async (table: string) => (await opened.store[sql](statement(`SELECT * FROM ${table}`))).length
      const over = await sessions.begin(begin)
      await sessions.end(ann.uid, (await sessions.begin(begin)).session.id)
      pass(13 * hour)
      const { secret } = await sessions.begin(begin)
      await forgetExpired(opened.store, clock)
      const revocations = () => opened.store.list({ group: '', plural: 'revocations' }, { limit: 10 })
      expect([await rows('sessions'), (await revocations()).items.length]).toEqual([1, 0])
      pass(-13 * hour)
      await opened.store.write([revoked(clock, randomUUID())])
      await forgetExpired(opened.store, clock)
      pass(13 * hour)
      expect((await revocations()).items).toHaveLength(1)
      expect(await sessions.find(over.secret)).toBeUndefined()
      expect(await sessions.find(secret)).toBeDefined()
    })

    test('a token identifies its owner, narrowed to its roles, until it expires', async () => {
      await using opened = await open()
      const { store } = opened
      const { clock, pass } = openCredentials(opened.store)
      const secret = newSecret('pgl_')
      const owner = { ...ann, narrowedTo: ['author'], expiresAt: clock.now() + hour }
      const uid = randomUUID()
      const find = () => findTokenOwner(store, digestOf(secret), clock.now())
      await store.write([], { also: [insertTokenDigest(digestOf(secret), uid, owner)] })
      expect(await find()).toEqual(owner)
      pass(2 * hour)
      expect(await find()).toBeUndefined()
      pass(-2 * hour)
      await store.write([], { also: [deleteTokenDigest(uid)] })
      expect(await find()).toBeUndefined()
    })

    test('only the last password that was set is valid', async () => {
      await using opened = await open()
      const { passwords } = openCredentials(opened.store)
      for (const password of ['first one', 'second one']) {
        await opened.store.write([], { also: [(await passwords.set(ann.uid, password)).write] })
      }
      expect(await passwords.check(ann.uid, 'first one')).toBeUndefined()
      expect(await passwords.check(ann.uid, 'second one')).toBeDefined()
      expect(await passwords.check(undefined, 'second one')).toBeUndefined()
    })

    test('a revoked session is removed from the cache of every replica', async () => {
      await using opened = await open()
      const { sessions, know } = openCredentials(opened.store)
      using here = await know()
      using there = await know()
      const { secret, session } = await sessions.begin(begin)
      for (const replica of [here, there]) {
        expect(await replica.find(secret)).toEqual({ ...ann, sessionId: session.id, expiresAt: session.expiresAt })
        expect(await replica.find('pgs_nobody')).toBeUndefined()
      }
      await sessions.end(ann.uid, session.id)
      await expect.poll(() => there.find(secret)).toBeUndefined()
    })
  })
}
