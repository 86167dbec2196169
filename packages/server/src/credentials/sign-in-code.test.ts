import { expect, test } from 'vitest'
import { createSignInCode } from './sign-in-code.ts'

function signInCode() {
  let now = 0
  let spent = 0
  const code = createSignInCode({ user: 'admin', clock: { now: () => now }, onSpent: () => spent++ })
  return { ...code, spent: () => spent, wait: (ms: number) => void (now += ms) }
}

test('a code has 128 random bits and works once', () => {
  const { make, take, spent } = signInCode()
  const code = make()
  expect(code).toMatch(/^[0-9a-f]{32}$/)
  expect([take(code), spent()]).toEqual([true, 0])
  expect([take(code), spent()]).toEqual([false, 1])
})

test('a wrong code does not end the right one', () => {
  const { make, take, spent } = signInCode()
  const code = make()
  for (const wrong of ['', code.slice(1), `${code}0`, code.toUpperCase() + ' ', '\u0000'])
    expect(take(wrong)).toBe(false)
  expect([take(code), spent()]).toEqual([true, 0])
})

test('a code expires after ten minutes', () => {
  const { make, take, spent, wait } = signInCode()
  const first = make()
  wait(10 * 60_000 - 1)
  expect(take(first)).toBe(true)
  const second = make()
  wait(10 * 60_000)
  expect([take(second), spent()]).toEqual([false, 1])
})

test('a new code replaces the one before', () => {
  const { make, take } = signInCode()
  const first = make()
  const second = make()
  expect(second).not.toBe(first)
  expect([take(first), take(second)]).toEqual([false, true])
})

test('no code is valid before the first is made', () => {
  const { take, spent } = signInCode()
  expect([take(''), take('undefined'), spent()]).toEqual([false, false, 2])
})
