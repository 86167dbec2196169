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
  await expect.poll(() => there.registry.all().length, { timeout: 5_000 }).toBe(2)
})

test('what is declared between reading all and beginning to follow is seen', async () => {
  await using here = await sqliteReplica()
  await using there = await openReplica(here.store)
  const log = createLog({ level: 'info', pretty: false, write: () => {} })
  await here.declare(modelSpec({}))
  await using _ = followDefinitions({ ...there, log })
  await expect.poll(() => there.registry.all().length, { timeout: 3_000 }).toBe(2)
})

test('it stops at once, in the middle of waiting', async () => {
  await using replica = await sqliteReplica()
  const log = createLog({ level: 'info', pretty: false, write: () => {} })
  const following = followDefinitions({ ...replica, log })
  await new Promise((resolve) => setTimeout(resolve, 50))
  const started = performance.now()
  await following[Symbol.asyncDispose]()
  expect(performance.now() - started).toBeLessThan(500)
})
