import crypto, { type Argon2Parameters } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { expect, onTestFinished, test, vi } from 'vitest'
import { hashPassword, isPassword } from './password-hash.ts'

test('a password matches only its own hash', async () => {
  const hashed = await hashPassword('correct horse')
  expect(hashed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(await isPassword('correct horse', hashed)).toBe(true)
  expect(await isPassword('correct horsf', hashed)).toBe(false)
  expect(await isPassword('', hashed)).toBe(false)
})

test('the same password gets a different hash each time', async () => {
  expect(await hashPassword('a')).not.toBe(await hashPassword('a'))
})

test('without a stored hash every password is wrong, at the cost of one hash with the same parameters', async () => {
  const { argon2 } = crypto
  const asked: Partial<Argon2Parameters>[] = []
  const counting = (...[algorithm, parameters, callback]: Parameters<typeof argon2>) => {
    const { memory, passes, parallelism, tagLength } = parameters
    asked.push({ memory, passes, parallelism, tagLength })
    argon2(algorithm, parameters, callback)
  }
  onTestFinished(() => replaceArgon2(argon2))
  replaceArgon2(counting)
  vi.resetModules()
  const counted = await import('./password-hash.ts')
  const hashed = await counted.hashPassword('a')
  expect(await counted.isPassword('b', hashed)).toBe(false)
  expect(await counted.isPassword('b', undefined)).toBe(false)
  const [first] = asked
  expect(asked).toEqual([first, first, first])
})

/** Affects modules that are loaded afterwards. */
function replaceArgon2(by: typeof crypto.argon2): void {
  crypto.argon2 = by
  syncBuiltinESMExports()
}
