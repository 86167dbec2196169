import { ApiError } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import { exitCodes } from '../terminal/exit-codes.ts'
import { attempting } from './attempting.ts'

const failing = (error: Error, name?: string) =>
  attempting({ verb: 'delete', resource: 'todos', name }, async () => {
    throw error
  })

describe('what a server refuses is told with what to do', () => {
  test.each([
    ['for want of rights', new ApiError('Forbidden', 'no'), { next: 'pergola can-i delete todos milk', exitCode: 1 }],
    ['since it is not there', new ApiError('NotFound', 'no'), { next: 'pergola list todos', exitCode: 1 }],
    [
      'since nobody is signed in',
      new ApiError('Unauthenticated', 'no'),
      { next: 'pergola login <url>', exitCode: exitCodes.notSignedIn },
    ],
    ['for another reason', new ApiError('InUse', 'it is held'), { message: 'it is held', reason: 'InUse' }],
  ])('%s', (_what, error, expected) => expect(failing(error, 'milk')).rejects.toMatchObject(expected))

  test('of a collection without a name', () =>
    expect(failing(new ApiError('Forbidden', 'no'))).rejects.toMatchObject({ next: 'pergola can-i delete todos' }))
  test('and whatever else fails stays as it is', () => expect(failing(new Error('cut'))).rejects.toThrow(/^cut$/))
  test('what succeeds is handed on', () =>
    expect(attempting({ verb: 'get', resource: 'a' }, async () => 7)).resolves.toBe(7))
})
