import { expect, test } from 'vitest'
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts'
import { createPackages } from './packages.ts'

test('packages are stored by digest, and all but the named ones are deleted', async () => {
  await using store = openSqliteStore(':memory:')
  const packages = createPackages(store, { read: () => Promise.reject(new Error('not used')) })
  const large = Buffer.alloc(9 * 1024 * 1024, 'x')
  await packages.keep('one', large)
  await packages.keep('one', large)
  await packages.keep('two', Buffer.from('two'))
  expect((await packages.read('one'))?.equals(large)).toBe(true)
  await packages.forgetOthers(new Set(['two', 'three']))
  expect(await packages.read('one')).toBeUndefined()
  expect(await packages.read('two')).toEqual(Buffer.from('two'))
  await packages.forget('two')
  expect(await packages.read('two')).toBeUndefined()
})
