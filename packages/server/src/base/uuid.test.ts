import { expect, test } from 'vitest'
import { uuidv7 } from './uuid.ts'

test('a UUID has version 7, contains its time and is unique', () => {
  const now = Date.UTC(2030, 2, 1)
  const uids = Array.from({ length: 1000 }, () => uuidv7(now))
  expect(new Set(uids).size).toBe(1000)
  for (const uid of uids) {
    expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(Number.parseInt(uid.replaceAll('-', '').slice(0, 12), 16)).toBe(now)
  }
})

test('UUIDs sort by time', () => {
  expect(uuidv7(1) < uuidv7(2)).toBe(true)
})
