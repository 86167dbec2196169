import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase } from '@pergola/test-servers'
import { expect, inject, test } from 'vitest'
import { startCuttingProxy } from '../../../tests/client/cutting-proxy.ts'
import { declareNotes, notesOf, startServer, token, type Note, type Notes } from '../../../tests/client/server.ts'
import { seedAdministrator } from '../../../tests/end-to-end/seed-administrator.ts'
import type { CacheChange } from './cached-objects.ts'
import { createClient } from './client.ts'

const writers = 3
const leastWritesOfEach = 150
const leastCuts = 6

/** Creates, changes and deletes both own objects and objects shared by all writers, for as long as more is wanted. */
async function writeAtRandom(notes: Notes, lane: number, wantsMore: (writes: number) => boolean): Promise<number> {
  const random = randomFrom(lane + 1)
  let written = 0
  for (let at = 0; wantsMore(at); at++) {
    const name = random() < 0.3 ? `shared-${at % 5}` : `lane-${lane}-${Math.floor(random() * 20)}`
    const text = `${lane}-${at}`
    const chance = random()
    const done = await (
      chance < 0.3
        ? notes.create({ metadata: { name }, spec: { text } })
        : chance < 0.8
          ? notes.patch(name, { spec: { text } })
          : notes.delete(name)
    ).catch(({ status }: { status?: number }) => {
      if (status !== 404 && status !== 409) throw new Error(`a write failed: ${status}`)
    })
    if (done) written++
  }
  return written
}

/** Returns the same sequence for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function stateOf(notes: Iterable<Note>) {
  return [...notes].toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))
}

test('caches converge and report every change once while connections are cut at random during writes', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  await seedAdministrator(database.url, token)
  await using stack = new AsyncDisposableStack()
  const start = async () => {
    const server = await startServer({ databaseUrl: database.url })
    stack.defer(async () => void (await server.close()))
    return server.url
  }
  const urls = [await start(), await start()]
  const proxy = stack.use(await startCuttingProxy(urls))
  const direct = await Promise.all(urls.map(async (url) => createClient({ url, token })))
  const notes = await declareNotes(direct[0] ?? expect.fail('no server'))
  const followers = (['WebSocket', 'event stream'] as const).map((transport) => {
    const client = createClient({ url: proxy.url, token, transport })
    const cache = stack.use(notesOf(client, notes.plural).cache({ indexes: { text: ({ spec }) => spec.text } }))
    const told: CacheChange<Note>[] = []
    cache.on((change) => told.push(change))
    return { cache, told }
  })
  const random = randomFrom(0)
  let [cuts, writing] = [0, true]
  const cutting = (async () => {
    while (writing) {
      await sleep(random() * 400)
      cuts += proxy.cut(() => random() < 0.5)
    }
  })()
  const lanes = Array.from({ length: writers }, (_, lane) =>
    writeAtRandom(
      notesOf(direct[lane % 2] ?? expect.fail('no client'), notes.plural),
      lane,
      (writes) => writes < leastWritesOfEach || cuts < leastCuts,
    ),
  )
  const written = (await Promise.all(lanes)).reduce((sum, count) => sum + count, 0)
  writing = false
  await cutting
  const { metadata } = await notes.create({ metadata: { name: 'zz-last' }, spec: { text: 'last' } })
  const { items } = await notes.list()
  expect(written).toBeGreaterThan(20)
  expect(cuts).toBeGreaterThanOrEqual(leastCuts)
  for (const { cache, told } of followers) {
    await cache.waitFor((all) => all.get(metadata.name) !== undefined)
    expect(stateOf(cache.items())).toEqual(stateOf(items))
    for (const { spec } of items) expect(cache.byIndex('text', spec.text).length).toBeGreaterThan(0)
    expectOnceEach(told, cache.items())
  }
})

/** Expects every state once, in ascending versions per object, and the changes to add up to the items. */
function expectOnceEach(told: readonly CacheChange<Note>[], items: readonly Note[]): void {
  const versions = new Map<string, number>()
  const state = new Map<string, Note>()
  for (const { type, object } of told) {
    const { uid, version, name } = object.metadata
    const before = versions.get(uid) ?? -1
    // An object found missing by a relist is reported with its last known state.
    if (type === 'deleted') expect(version).toBeGreaterThanOrEqual(before)
    else expect(version, `${type} ${name}`).toBeGreaterThan(before)
    expect(state.has(name), `${type} ${name}`).toBe(type !== 'added')
    versions.set(uid, version)
    if (type === 'deleted') state.delete(name)
    else state.set(name, object)
  }
  expect(stateOf(state.values())).toEqual(stateOf(items))
}
