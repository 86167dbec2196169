import { ApiError } from '@pergola/api'
import { expect, test } from 'vitest'
import type { HoldSource, Lead } from '../controllers/hold.ts'
import { createLeases } from './leases.ts'

const { signal } = new AbortController()

/** Grants each lease as often as it is asked for, and records what happens. */
function granting(events: string[], lead: Partial<Lead> = {}): HoldSource {
  return async function* (name, wanted) {
    events.push(`take ${name}`)
    try {
      yield { signal: wanted, fence: `${name}/1`, term: 1, ...lead }
    } finally {
      events.push(`give back ${name}`)
    }
  }
}

/** A lease that another process holds for as long as it is wanted. */
const heldElsewhere: HoldSource = (_, wanted) => ({
  [Symbol.asyncIterator]: () => ({
    next: async () => {
      if (!wanted.aborted) await new Promise((resolve) => wanted.addEventListener('abort', resolve))
      return { done: true, value: undefined }
    },
  }),
})

test('work under equal names runs one after another, and under others beside it', async () => {
  const events: string[] = []
  const run = createLeases(granting(events), [])
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done = [
    run({ name: 'till', signal }, () => first.promise),
    run({ name: 'till', signal }, () => second.promise),
    run({ name: 'other', signal }, async () => {}),
  ]
  await done[2]
  expect(events).toEqual(['take till', 'take other', 'give back other'])
  first.resolve()
  second.resolve()
  await Promise.all(done)
  expect(events.slice(3)).toEqual(['give back till', 'take till', 'give back till'])
})

test('a lease is given back when its work fails', async () => {
  const events: string[] = []
  const run = createLeases(granting(events), [])
  await expect(run({ name: 'till', signal }, () => Promise.reject(new Error('out of paper')))).rejects.toThrow('paper')
  expect(events).toEqual(['take till', 'give back till'])
})

test('what is not obtained in time is InUse, in the queue of this process and elsewhere', async () => {
  const run = createLeases(heldElsewhere, [])
  const asked = Array.from({ length: 2 }, () => run({ name: 'till', signal, wait: '0.05s' }, async () => {}))
  for (const one of asked) await expect(one).rejects.toMatchObject({ reason: 'InUse' })
})

test('the signal ends the wait', async () => {
  const stopping = new AbortController()
  const run = createLeases(heldElsewhere, [])
  const asked = run({ name: 'till', signal: stopping.signal }, async () => {})
  stopping.abort(new Error('the plugin stops'))
  await expect(asked).rejects.toThrow('the plugin stops')
})

test('a write that is rejected because the lease is lost ends the lead', async () => {
  const lost: string[] = []
  const run = createLeases(granting([], { lost: () => void lost.push('lost') }), [])
  const late = () => Promise.reject(new ApiError('FenceLost', 'another process holds the lease'))
  await expect(run({ name: 'till', signal }, late)).rejects.toMatchObject({ reason: 'FenceLost' })
  expect(lost).toEqual(['lost'])
})

const refused: readonly (readonly [name: string, wait: `${number}s`, message: string])[] = [
  ['sweep', '1s', 'belongs to the controller or schedule of that name'],
  ['1', '1s', 'begins with a letter'],
  ['till', '0s', 'wait must be a duration'],
]
for (const [name, wait, message] of refused) {
  test(`a lease "${name}" with a wait of ${wait} is refused: ${message}`, async () => {
    const run = createLeases(granting([]), ['sweep'])
    await expect(run({ name, signal, wait }, async () => {})).rejects.toThrow(message)
  })
}
