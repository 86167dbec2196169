import { expect, test } from 'vitest'
import { whyUnseen } from './seen.ts'

const numbers = { promise: 'C1-2', witness: 'C1-1' }
const outcome = (title: string, message?: string) => ({
  title,
  engine: 'SQLite',
  passed: message === undefined,
  ...(message !== undefined && { message }),
})
const served = outcome('C1-1 S9-3 roles are there')
const wrong = "AssertionError: {}: expected '200 undefined' to be '404 NotFound' // Object.is equality"

const cases = [
  ['by one test of several', [served, outcome('C1-2 a', wrong), outcome('S9-2 C1-2 b')], undefined],
  ['by a test that waited', [served, outcome('C1-2 a', "Error: expected 'Building' to be 'Ready'")], undefined],
  ['by no test that passes', [served, outcome('C1-2 a')], /all 1 tests pass/],
  ['by no test of another promise', [served, outcome('C1-2 a'), outcome('C1-20 b', wrong)], /pass/],
  ['by no test that was left out', [served, outcome('C1-2 a', 'skipped')], /another reason: skipped/],
  ['by no test that breaks', [served, outcome('C1-2 a', 'TypeError: x is undefined')], /another reason/],
  ['not when the server fails', [served, outcome('C1-2 a', "AssertionError: expected '500 Internal' to be")], /reason/],
  ['not when the server serves nobody', [outcome('C1-1 a', wrong), outcome('C1-2 a', wrong)], /no longer serves/],
  ['not when nobody asked whether it serves', [outcome('C1-2 a', wrong)], /no test was run/],
] as const
for (const [how, outcomes, why] of cases) {
  test(`a broken promise is seen ${how}`, () => {
    const found = whyUnseen(outcomes, numbers)
    if (why === undefined) expect(found).toBeUndefined()
    else expect(found).toMatch(why)
  })
}
