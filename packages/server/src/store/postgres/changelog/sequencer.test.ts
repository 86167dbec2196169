import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { expect, inject, test } from 'vitest'
import { postgresFixture } from '../../contract/postgres-fixture.ts'
import { startSequencer, type SequencerOptions } from './sequencer.ts'

/** Longer than the test timeout: work that waits for it is not finished. */
const anHour = 3_600_000
/** Only stops a test that hangs. */
const patienceMs = 60_000

/** A sequencer on a new database, after its first pass; it defers to other replicas as long as it sees their passes. */
async function started(more: Partial<SequencerOptions> = {}) {
  const stack = new AsyncDisposableStack()
  const fixture = stack.use(await postgresFixture(inject('postgres')['18'], (url) => ({ url })))
  // Only creates the tables; the store's own sequencer must not run.
  await fixture.store[Symbol.asyncDispose]()
  const pool = new Pool({ connectionString: fixture.url })
  stack.defer(() => pool.end())
  const options = { makeRoom: async () => {}, roomEvery: 1_000_000, passLimit: 1_000, ownMs: anHour, onError: () => {} }
  const sequencer = stack.use(startSequencer(pool, { ...options, ...more }))
  await sequencer.nextPass(patienceMs)
  return {
    sequencer,
    /** A commit of a replica that dies before its pass. */
    leaveBehind: (ids?: readonly number[]) =>
      ids === undefined
        ? pool.query(`INSERT INTO pending_changes (id, model) VALUES (nextval('change_id'), 1)`)
        : pool.query('INSERT INTO pending_changes (id, model) SELECT unnest($1::bigint[]), 1', [ids]),
    pending: async () => (await pool.query('SELECT FROM pending_changes')).rowCount,
    order: async () => (await pool.query('SELECT id, revision FROM change_order ORDER BY revision')).rows as unknown,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Passes of other replicas, whose changes this replica reads. */
function seeOthers({ saw }: { readonly saw: (number: number) => void }, everyMs: number): Disposable {
  let number = 0
  const timer = setInterval(() => saw(++number), everyMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

test('a replica defers to the passes of others, and takes over soon after their last pass', async () => {
  await using parts = await started()
  const { sequencer, leaveBehind, pending } = parts
  {
    using _others = seeOthers(sequencer, 50)
    await sleep(200)
    const { passes } = sequencer
    await sleep(2_500)
    expect(sequencer.passes - passes).toBe(0)
    await leaveBehind()
  }
  expect(await sequencer.nextPass(patienceMs)).toBe(true)
  expect(await pending()).toBe(0)
})

test('a replica never leaves its own commits to others', async () => {
  await using parts = await started()
  const { sequencer, leaveBehind, pending } = parts
  using _others = seeOthers(sequencer, 5)
  await sleep(1_200)
  await leaveBehind()
  sequencer.poke()
  expect(await sequencer.nextPass(patienceMs)).toBe(true)
  expect(await pending()).toBe(0)
})

test('changes read before do not imply a pass, and passes of others count only for a limited time', async () => {
  await using again = await started()
  const reading = setInterval(() => again.sequencer.saw(7), 20)
  await sleep(600)
  expect(await again.sequencer.nextPass(patienceMs)).toBe(true)
  expect(await again.sequencer.nextPass(patienceMs)).toBe(true)
  clearInterval(reading)
  await using parts = await started({ ownMs: 1_500 })
  using _others = seeOthers(parts.sequencer, 20)
  expect(await parts.sequencer.nextPass(patienceMs)).toBe(true)
})

test('a commit while room is made for others is put in order after that', async () => {
  const [begun, made] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const makeRoom = () => {
    begun.resolve()
    return made.promise
  }
  await using parts = await started({ roomEvery: 1, makeRoom })
  const { sequencer, leaveBehind, pending } = parts
  using _others = seeOthers(sequencer, 5)
  await leaveBehind()
  sequencer.poke()
  await begun.promise
  await leaveBehind()
  sequencer.poke()
  const passed = sequencer.nextPass(patienceMs)
  made.resolve()
  expect(await passed).toBe(true)
  expect(await pending()).toBe(0)
})

test('one pass takes changes from all slots of the ring, in their order', async () => {
  await using parts = await started()
  const { sequencer, leaveBehind, pending, order } = parts
  // More blocks of ids than the ring has slots.
  const ids = Array.from({ length: 20 }, (_, at) => 4_090 + at * 2_048)
  await leaveBehind(ids)
  sequencer.poke()
  await sequencer.nextPass(patienceMs)
  expect(await pending()).toBe(0)
  expect(await order()).toEqual(ids.map((id, at) => ({ id: String(id), revision: String(at + 1) })))
})
