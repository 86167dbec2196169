import { expect, test } from 'vitest'
import { strengthOf } from './password-strength.ts'

test.each([
  ['', 0],
  ['short', 1],
  ['aaaaaaaaaaaaaaaa', 1],
  ['abcdefgh', 2],
  ['correct horse', 3],
  ['correct horse battery', 4],
])('%j has the strength %i', (password, strength) => {
  expect(strengthOf(password)).toBe(strength)
})
