import { expect, test } from 'vitest'
import { hashPassword, isPassword } from './password-hash.ts'

test('a password is known by its hash, and by no other', async () => {
  const hashed = await hashPassword('correct horse')
  expect(hashed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(await isPassword('correct horse', hashed)).toBe(true)
  expect(await isPassword('correct horsf', hashed)).toBe(false)
  expect(await isPassword('', hashed)).toBe(false)
})

test('the same password has another hash each time', async () => {
  expect(await hashPassword('a')).not.toBe(await hashPassword('a'))
})

test('without a hash nothing is right, and it costs as much as a wrong password', async () => {
  const hashed = await hashPassword('a')
  const cpuOf = async (work: () => Promise<boolean>) => {
    const before = process.cpuUsage()
    expect(await work()).toBe(false)
    return process.cpuUsage(before).user
  }
  const wrong = await cpuOf(() => isPassword('b', hashed))
  const nobody = await cpuOf(() => isPassword('b', undefined))
  expect(nobody).toBeGreaterThan(wrong / 4)
})
