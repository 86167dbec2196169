import { isApiError } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import * as sdk from './index.ts'

describe('a problem function throws', () => {
  const cases: readonly (readonly [name: string, say: () => never, problem: object])[] = [
    ['badRequest', () => sdk.badRequest('no'), { reason: 'BadRequest', status: 400, message: 'no' }],
    ['unauthenticated', () => sdk.unauthenticated('who?'), { reason: 'Unauthenticated', status: 401 }],
    ['forbidden', () => sdk.forbidden('not you'), { reason: 'Forbidden', status: 403 }],
    ['notFound', () => sdk.notFound('share'), { reason: 'NotFound', status: 404, message: 'there is no such share' }],
    ['alreadyExists', () => sdk.alreadyExists('twice'), { reason: 'AlreadyExists', status: 409 }],
    ['conflict', () => sdk.conflict('sold out'), { reason: 'Conflict', status: 409, message: 'sold out' }],
    ['inUse', () => sdk.inUse('by others'), { reason: 'InUse', status: 409 }],
    ['preconditionFailed', () => sdk.preconditionFailed('changed'), { reason: 'PreconditionFailed', status: 412 }],
    [
      'tooManyRequests with Retry-After',
      () => sdk.tooManyRequests('slowly', 1.5),
      { reason: 'TooManyRequests', status: 429, headers: { 'retry-after': '2' } },
    ],
    [
      'unavailable with Retry-After',
      () => sdk.unavailable('no mail server'),
      { reason: 'Unavailable', status: 503, headers: { 'retry-after': '1' } },
    ],
    [
      'invalid with one field',
      () => sdk.invalid('spec.due', 'must be later'),
      {
        reason: 'Invalid',
        status: 422,
        message: 'spec.due must be later',
        errors: [{ pointer: '/spec/due', field: 'spec.due', rule: 'check', message: 'must be later' }],
      },
    ],
    [
      'invalid with several fields',
      () =>
        sdk.invalid([
          { field: 'spec.tags[2]', message: 'is taken' },
          { field: '', message: 'is too much' },
        ]),
      { errors: [{ pointer: '/spec/tags/2' }, { pointer: '', field: '' }] },
    ],
  ]
  for (const [name, say, problem] of cases) {
    test(name, () => {
      const error = thrownBy(say)
      expect(isApiError(error)).toBe(true)
      expect(error).toMatchObject(problem)
    })
  }

  test('giveUp, which is not an API error', () => {
    const error = thrownBy(() => sdk.giveUp('the address does not exist'))
    expect(error).toBeInstanceOf(sdk.GiveUp)
    expect(isApiError(error)).toBe(false)
  })
})

function thrownBy(say: () => never): unknown {
  try {
    return say()
  } catch (error) {
    return error
  }
}
