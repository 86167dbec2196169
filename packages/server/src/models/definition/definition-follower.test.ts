import { expect, test } from 'vitest'
import { createLog } from '../../base/log.ts'
import type { Store } from '../../store/store.ts'
import { modelSpec, openReplica, sqliteReplica } from '../contract/replica.ts'
import { createDefinitionFollower } from './definition-follower.ts'

test('a database failure is logged, and definitions from that time are found after a retry', async () => {
  await using here = await sqliteReplica()
  await using there = await openReplica(here.store)
  const lines: string[] = []
  const log = createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) })
  let fails = true
  const store: Store = {
    ...here.store,
    list: (...asked) => (fails ? Promise.reject(new Error('gone away')) : here.store.list(...asked)),
  }
  await using following = createDefinitionFollower({ ...there, store, log })
  following.start()
  await expect.poll(() => lines.join('')).toMatch(/gone away.*retrying/)
  await here.declare(modelSpec({}))
  fails = false
  await expect.poll(() => there.registry.all().length).toBe(2)
})

test('a definition created between loading and following is found', async () => {
  await using here = await sqliteReplica()
  await using there = await openReplica(here.store)
  const log = createLog({ level: 'info', pretty: false, write: () => {} })
  await here.declare(modelSpec({}))
  await using following = createDefinitionFollower({ ...there, log })
  following.start()
  await expect.poll(() => there.registry.all().length).toBe(2)
})

/** Longer than the test timeout: code that waits for it hangs. */
const anHour = 3_600_000

test('stops while it waits for the next poll, without polling again', async () => {
  await using replica = await sqliteReplica()
  const log = createLog({ level: 'info', pretty: false, write: () => {} })
  let looks = 0
  const store: Store = { ...replica.store, list: (...asked) => (looks++, replica.store.list(...asked)) }
  const following = createDefinitionFollower({ ...replica, store, log, everyMs: anHour })
  following.start()
  await expect.poll(() => looks).toBe(1)
  await following[Symbol.asyncDispose]()
  expect(looks).toBe(1)
})

test('stops while it waits after a failure', async () => {
  await using replica = await sqliteReplica()
  const lines: string[] = []
  const log = createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) })
  const store: Store = { ...replica.store, list: () => Promise.reject(new Error('gone away')) }
  const following = createDefinitionFollower({ ...replica, store, log, everyMs: anHour })
  following.start()
  await expect.poll(() => lines.length).toBe(1)
  await following[Symbol.asyncDispose]()
  expect(lines).toHaveLength(1)
})

test('polls only while it is not notified of changes', async () => {
  await using here = await sqliteReplica()
  await using there = await openReplica(here.store)
  const log = createLog({ level: 'info', pretty: false, write: () => {} })
  let [looks, told, ticks] = [0, true, 0]
  const store: Store = {
    ...here.store,
    list: (...asked) => {
      looks++
      return here.store.list(...asked)
    },
  }
  const isTold = () => (ticks++, told)
  await using following = createDefinitionFollower({ ...there, store, log, isTold, everyMs: 5 })
  following.start()
  await expect.poll(() => looks).toBe(1)
  await expect.poll(() => ticks).toBeGreaterThan(20)
  expect(looks).toBe(1)
  await here.declare(modelSpec({}))
  following.look()
  await expect.poll(() => there.registry.all().length).toBe(2)
  expect(looks).toBe(2)
  told = false
  await expect.poll(() => looks).toBeGreaterThan(2)
})
