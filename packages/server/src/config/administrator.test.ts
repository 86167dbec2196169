import { expect, test } from 'vitest'
import { administratorOf } from './administrator.ts'

const read = (text: string) => () => text

test('no administrator is configured by default', () => {
  expect(administratorOf({}, read(''))).toBeUndefined()
})

test('the password is the content of the file without the line end', () => {
  const admin = { username: 'ann', passwordFile: 'p' }
  expect(administratorOf(admin, read('correct horse\n'))).toEqual({ username: 'ann', password: 'correct horse' })
  expect(administratorOf(admin, read(' spaces count \r\n'))).toEqual({ username: 'ann', password: ' spaces count ' })
})

test('a user name without a password, or a short password, is an error', () => {
  expect(() => administratorOf({ username: 'ann' }, read(''))).toThrow('go together')
  expect(() => administratorOf({ passwordFile: 'p' }, read(''))).toThrow('go together')
  expect(() => administratorOf({ username: 'ann', passwordFile: 'p' }, read('short\n'))).toThrow('5 characters')
})
