import type { Check, Finding } from '@pergola/server'
import { expect, test } from 'vitest'
import { runChecks } from './run-checks.ts'

const ok = (name: string): Finding => ({ level: 'ok', name, words: 'fine' })
const check = (name: string, run: Check['run']): Check => ({ name, run, lateAdvice: `look at ${name}` })

test('checks run at the same time, and their findings keep the order of the checks', async () => {
  const second = Promise.withResolvers<void>()
  const found = await runChecks([
    // Ends only if the other one runs meanwhile.
    check('one', async () => second.promise.then(() => [ok('one')])),
    check('two', async () => {
      second.resolve()
      return [ok('two'), ok('three')]
    }),
  ])
  expect(found.map(({ name }) => name)).toEqual(['one', 'two', 'three'])
})

test('a check that hangs is a failed finding with advice, its work is aborted, and others are not affected', async () => {
  let aborted = false
  const hanging = check('slow', async (signal) => {
    signal.addEventListener('abort', () => (aborted = true))
    return new Promise(() => {})
  })
  const follower = { name: 'follower', run: hanging.run }
  const found = await runChecks([hanging, follower, check('fast', async () => [ok('fast')])], 50)
  const late = { level: 'failed', name: 'slow', words: 'no answer within 0.05 s', advice: 'look at slow' }
  expect(found).toEqual([late, ok('fast')])
  expect(aborted).toBe(true)
})

test('a check that throws is a failed finding', async () => {
  const found = await runChecks([check('broken', async () => Promise.reject(new Error('no such thing')))])
  expect(found).toEqual([{ level: 'failed', name: 'broken', words: 'no such thing' }])
})
