import { expect, test } from 'vitest'
import { createLog } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import { modelSpec, openReplica, sqliteReplica } from './contract/replica.ts'
import { followDefinitions } from './follow-definitions.ts'

test('a database that fails for a while is told in the log, and what was declared meanwhile is seen', async () => {
  await using here = await sqliteReplica()
  await using there = await openReplica(here.store)
  const lines: string[] = []
  const log = createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) })
  let fails = true
  const store: Store = {
    ...here.store,
    list: (...asked) => (fails ? Promise.reject(new Error('gone away')) : here.store.list(...asked)),
  }
  await using _ = followDefinitions({ ...there, store, log })
  await expect.poll(() => lines.join('')).toMatch(/gone away.*it is tried again/)
  await here.declare(modelSpec({}))
  fails = false
  await expect.poll(() => there.registry.all().length).toBe(2)
})

test('what is declared between reading all and beginning to follow is seen', async () => {
  await using here = await sqliteReplica()
  await using there = await openReplica(here.store)
  const log = createLog({ level: 'info', pretty: false, write: () => {} })
  await here.declare(modelSpec({}))
  await using _ = followDefinitions({ ...there, log })
  await expect.poll(() => there.registry.all().length).toBe(2)
})

test('it stops at once, in the middle of waiting', async () => {
  await using replica = await sqliteReplica()
  const log = createLog({ level: 'info', pretty: false, write: () => {} })
  let looks = 0
  const store: Store = { ...replica.store, list: (...asked) => (looks++, replica.store.list(...asked)) }
  const following = followDefinitions({ ...replica, store, log })
  await expect.poll(() => looks).toBe(1)
  await following[Symbol.asyncDispose]()
  expect(looks).toBe(1)
})

test('while it is told of every change it asks the database no more, and when it is not, again', async () => {
  await using here = await sqliteReplica()
  await using there = await openReplica(here.store)
  const log = createLog({ level: 'info', pretty: false, write: () => {} })
  let [looks, told] = [0, true]
  const store: Store = {
    ...here.store,
    list: (...asked) => {
      looks++
      return here.store.list(...asked)
    },
  }
  await using following = followDefinitions({ ...there, store, log, isTold: () => told })
  await expect.poll(() => looks).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(looks).toBe(1)
  await here.declare(modelSpec({}))
  following.look()
  await expect.poll(() => there.registry.all().length).toBe(2)
  expect(looks).toBe(2)
  told = false
  await expect.poll(() => looks).toBeGreaterThan(2)
})
