import { createDatabase, startPgBouncer, withClient } from '@pergola/test-servers'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { create, people } from '../contract/fixture.ts'
import type { Store } from '../store.ts'
import { openPostgresStore, type PostgresOptions } from './postgres-store.ts'

const onConnectionLost = () => {}
const open = async (options: Omit<PostgresOptions, 'onConnectionLost'>) => {
  const store = await openPostgresStore({ ...options, onConnectionLost })
  await store.openModel(people)
  return store
}
const namesIn = async (store: Store) =>
  (await store.list(people, { limit: 10, total: 'none' })).items.map(({ name }) => name)

describe('installations in the schemas of one database', () => {
  const resources = new AsyncDisposableStack()
  let url: string
  let stores: Record<'plain' | 'one' | 'user', Store>
  beforeAll(async () => {
    const database = resources.use(await createDatabase(inject('postgres')['18']))
    url = database.url
    // Together, as replicas start; "user" is a word of SQL.
    const [plain, one, , user] = await Promise.all([
      open({ url }),
      open({ url, schema: 'one' }),
      open({ url, schema: 'one' }).then((store) => resources.use(store)),
      open({ url, schema: 'user' }),
    ])
    stores = { plain, one, user }
    for (const store of Object.values(stores)) resources.use(store)
  })
  afterAll(() => resources.disposeAsync())

  test('have their own objects, change logs and leases', async () => {
    const { plain, one, user } = stores
    const before = await Promise.all(Object.values(stores).map((store) => store.head()))
    await plain.write([create('plain')])
    await one.write([create('first')])
    await one.write([create('second')])
    await user.write([create('third')])
    expect([await namesIn(plain), (await namesIn(one)).toSorted(), await namesIn(user)]).toEqual([
      ['plain'],
      ['first', 'second'],
      ['third'],
    ])
    const [fromPlain, fromOne] = before
    if (!fromPlain || !fromOne) throw new Error('a head is missing')
    const changesOf = async (store: Store, after: typeof fromOne) => {
      const { changes } = await store.readChanges(after, { limit: 100, maxBytes: 1_000_000, waitMs: 30_000 })
      return changes.map(({ object }) => object.name)
    }
    await expect.poll(() => changesOf(one, fromOne)).toEqual(['first', 'second'])
    await expect.poll(() => changesOf(plain, fromPlain)).toEqual(['plain'])
    const lease = { holder: 'me', ttlMs: 60_000 }
    expect(await one.acquireLease('work', lease)).toBeDefined()
    expect(await user.acquireLease('work', { ...lease, holder: 'other' })).toBeDefined()
    expect(await user.heldLeases('work')).toHaveLength(1)
  })

  test('do not hear each other', async () => {
    const heard: string[] = []
    await using listener = await listening(url, ['changes_in_order', 'changes_in_order one', 'changes_in_order user'])
    listener.client.on('notification', ({ channel, payload }) => payload === '' && heard.push(channel))
    for (const [name, store] of Object.entries(stores)) await store.write([create(`heard-by-${name}`)])
    await expect.poll(() => new Set(heard).size).toBe(3)
    heard.length = 0
    await stores.one.write([create('once-more')])
    await expect.poll(() => heard.length).toBeGreaterThan(0)
    expect(new Set(heard)).toEqual(new Set(['changes_in_order one']))
  })

  test('do not wait for each other', async () => {
    const locks = ['pergola sequencer', 'pergola partitions', 'pergola schema']
    await withClient(url, async (client) => {
      await client.query('BEGIN')
      for (const lock of locks)
        await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${lock} one`])
      const from = await stores.user.head()
      await stores.user.write([create('unhindered')])
      const read = async () => stores.user.readChanges(from, { limit: 10, maxBytes: 1_000_000, waitMs: 1_000 })
      await expect.poll(async () => (await read()).changes.length).toBe(1)
      await using another = await open({ url, schema: 'another' })
      expect(await namesIn(another)).toEqual([])
      await client.query('ROLLBACK')
    })
  })
})

test('behind a pooler the role has to choose the schema: the command in the message is enough', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  await using pooler = await startPgBouncer(database.url)
  const pooled = { url: pooler.through(database.url), directUrl: database.url, namedStatements: false, schema: 'own' }
  const refused = await open(pooled).then(
    () => '',
    (error: Error) => error.message,
  )
  expect(refused).toContain('database.url uses the schema public instead of own')
  const [, command = ''] = /run {2}(ALTER ROLE .*?) {2}and/.exec(refused) ?? []
  await withClient(database.url, (client) => client.query(command))
  await pooler.kill()
  await pooler.restart()
  await using store = await open(pooled)
  await store.write([create('here')])
  expect(await namesIn(store)).toEqual(['here'])
  await using direct = await open({ url: database.url, schema: 'own' })
  expect(await namesIn(direct)).toEqual(['here'])
})

async function listening(
  url: string,
  channels: readonly string[],
): Promise<AsyncDisposable & { readonly client: Client }> {
  const client = new Client({ connectionString: url })
  await client.connect()
  for (const channel of channels) await client.query(`LISTEN "${channel}"`)
  return { client, [Symbol.asyncDispose]: () => client.end() }
}
