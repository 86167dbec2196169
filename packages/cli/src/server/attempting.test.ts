import { ApiError } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import { exitCodes } from '../terminal/exit-codes.ts'
import { attempting } from './attempting.ts'

const failing = (error: Error, name?: string) =>
  attempting({ verb: 'delete', resource: 'todos', name }, async () => {
    throw error
  })

describe('an error of the server becomes a message with the next step', () => {
  test.each([
    [
      'when the caller may not do it',
      new ApiError('Forbidden', 'no'),
      { next: 'pergola can-i delete todos milk', exitCode: 1 },
    ],
    ['when the object does not exist', new ApiError('NotFound', 'no'), { next: 'pergola list todos', exitCode: 1 }],
    [
      'when the caller is not signed in',
      new ApiError('Unauthenticated', 'no'),
      { next: 'pergola login <url>', exitCode: exitCodes.notSignedIn },
    ],
    ['for another reason', new ApiError('InUse', 'it is held'), { message: 'it is held', reason: 'InUse' }],
  ])('%s', (_what, error, expected) => expect(failing(error, 'milk')).rejects.toMatchObject(expected))

  test('for a collection, without an object name', () =>
    expect(failing(new ApiError('Forbidden', 'no'))).rejects.toMatchObject({ next: 'pergola can-i delete todos' }))
  test('other errors are unchanged', () => expect(failing(new Error('cut'))).rejects.toThrow(/^cut$/))
  test('the result of a success is returned', () =>
    expect(attempting({ verb: 'get', resource: 'a' }, async () => 7)).resolves.toBe(7))
})
