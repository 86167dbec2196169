import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock as clock } from '../base/clock.ts'
import { createLog } from '../base/log.ts'
import type { Feed } from '../feed/feed.ts'
import { createLogFeed } from '../feed/log-feed.ts'
import { startSelfCheck } from '../feed/self-check.ts'
import { createOperation } from '../models/verbs/create.ts'
import { declarationOf } from '../models/model.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { createAccessSource, noPlugins, type AccessSource } from './access-source.ts'
import { createAccessModels, type AccessModels } from './access-models.ts'
import { noRights } from './rights.ts'

const directory = mkdtempSync(join(tmpdir(), 'pergola-access-'))
const lines: string[] = []
const log = createLog({ level: 'warn', pretty: false, write: (line) => lines.push(line) })
let store: Store
let own: AccessModels
let feed: Feed
beforeAll(async () => {
  store = await openStore({ url: `sqlite:${join(directory, 'test.db')}`, onConnectionLost: () => {} })
  own = createAccessModels({ store, clock, rights: noRights })
  for (const model of [own.roles, own.bindings, own.users, own.tokens]) await store.openModel(declarationOf(model))
  feed = createLogFeed(store, log)
  await feed.start()
})
afterAll(async () => {
  feed[Symbol.dispose]()
  await store[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true })
})

let access: AccessSource
const openAccess = async (from: Feed) => {
  access = createAccessSource({
    store,
    clock,
    feed: from,
    countsUntil: () => Infinity,
    claims: () => noPlugins,
  })
  await access.start()
  return access
}

/** A feed whose place advances without notifying subscribers. */
function deaf(): Feed {
  return {
    start: async () => {},
    get position() {
      return feed.position
    },
    recent: (after) => feed.recent(after),
    isCurrent: () => true,
    lagMs: () => 0,
    subscribe: () => ({ [Symbol.dispose]: () => {} }),
    [Symbol.dispose]: () => {},
  }
}

const createRole = async (name: string) => {
  const rules = [{ apiGroups: ['example.com'], resources: ['things'], verbs: ['get'] }]
  await store.write([await createOperation({ clock }, own.roles, { metadata: { name }, rules })])
}
const bind = async (user: string, role: string) => {
  const operation = await createOperation({ clock }, own.bindings, {
    metadata: { name: `${user}-${role}` },
    roleRef: { apiGroup: '', kind: 'Role', name: role },
    subjects: [{ apiGroup: '', kind: 'User', name: user }],
  })
  await store.write([operation])
}
const createUser = async (name: string) => {
  const operation = await createOperation({ clock }, own.users, { metadata: { name }, spec: { disabled: false } })
  await store.write([operation])
  return { kind: 'user', name, uid: operation.uid, via: 'token' } as const
}

test('the self-check finds, repairs and logs changes that the feed did not deliver', async () => {
  await createRole('first')
  const ann = await createUser('ann')
  using source = await openAccess(deaf())
  using check = startSelfCheck({ store, feed, caches: source.caches, log })
  const heldBy = async () => (await source.rolesOf(ann)).roles.map(({ name }) => name).toSorted()
  expect(await check.look()).toBe(0)
  expect(await heldBy()).toEqual(['anonymous', 'authenticated'])

  await createRole('second')
  expect(await check.look()).toBe(1)
  expect(await heldBy()).toEqual(['anonymous', 'authenticated'])
  await bind('ann', 'first')
  expect(await heldBy()).toEqual(['anonymous', 'authenticated'])
  expect(await check.look()).toBe(1)
  expect(await heldBy()).toEqual(['anonymous', 'authenticated', 'first'])
  expect(await check.look()).toBe(0)
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ cache: 'roles', count: 1, differences: [expect.stringMatching(/^second /)] }),
    expect.objectContaining({ cache: 'users', count: 1, differences: [expect.stringMatching(/^ann .*first/)] }),
  ])
})

test('the self-check ignores changes in flight', async () => {
  using source = await openAccess(feed)
  using check = startSelfCheck({ store, feed, caches: source.caches, log })
  for (let at = 0; at < 20; at++) {
    const writing = createRole(`moving-${at}`)
    expect(await check.look()).toBe(0)
    await writing
  }
})
