import { expect, test } from 'vitest'
import { administratorOf } from './administrator.ts'

const read = (text: string) => () => text

test('none is made unless it is asked for', () => {
  expect(administratorOf({}, read(''))).toBeUndefined()
})

test('the password is what the file holds, without the end of its line', () => {
  const admin = { username: 'ann', passwordFile: 'p' }
  expect(administratorOf(admin, read('correct horse\n'))).toEqual({ username: 'ann', password: 'correct horse' })
  expect(administratorOf(admin, read(' spaces count \r\n'))).toEqual({ username: 'ann', password: ' spaces count ' })
})

test('half of it, and a short password, are faults', () => {
  expect(() => administratorOf({ username: 'ann' }, read(''))).toThrow('go together')
  expect(() => administratorOf({ passwordFile: 'p' }, read(''))).toThrow('go together')
  expect(() => administratorOf({ username: 'ann', passwordFile: 'p' }, read('short\n'))).toThrow('5 characters')
})
