import { expect, test } from 'vitest'
import { limitsFor } from './limits-for.ts'

const mebibyte = 1024 * 1024
const usual = { memoryBytes: 128 * mebibyte, scratchBytes: 100 * mebibyte, processes: 32, startMs: 1_000 }

test('a plugin gets what it needs, and not less than usual; an operator sets more or less', () => {
  expect(limitsFor(usual)).toEqual(usual)
  expect(limitsFor(usual, { memory: 64, processes: 40 })).toEqual({ ...usual, processes: 40 })
  expect(limitsFor(usual, { memory: 512 }, { memory: 64, scratch: 1 })).toEqual({
    ...usual,
    memoryBytes: 64 * mebibyte,
    scratchBytes: mebibyte,
  })
})
