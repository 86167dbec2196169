import { expect, test } from 'vitest'
import { shortened } from './shortened.ts'

test('a long text is truncated without splitting a character', () => {
  expect(shortened('a'.repeat(80))).toBe('a'.repeat(80))
  expect(shortened('a'.repeat(81))).toBe(`${'a'.repeat(80)}…`)
  expect(shortened(`${'a'.repeat(79)}😀`).isWellFormed()).toBe(true)
})
