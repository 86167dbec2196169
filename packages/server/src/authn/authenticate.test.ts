import { describe, expect, test } from 'vitest'
import { createAuthenticate } from './authenticate.ts'

const token = 'pgl_0123456789abcdef0123456789abcdef'
const authenticate = createAuthenticate(token)

test('without credentials a caller is anonymous', () => {
  expect(authenticate({})).toEqual({ kind: 'anonymous' })
})

test('the token, whatever the case of its scheme, is the administrator', () => {
  expect(authenticate({ authorization: `Bearer ${token}` })).toEqual({ kind: 'user', name: 'admin' })
  expect(authenticate({ authorization: `bearer ${token}` })).toEqual({ kind: 'user', name: 'admin' })
})

describe('refused, and never taken for anonymous, is', () => {
  const cases = [
    ['another token', 'Bearer pgl_nobody'],
    ['a part of the token', `Bearer ${token.slice(0, -1)}`],
    ['the token with more behind it', `Bearer ${token}x`],
    ['no token', 'Bearer '],
    ['another scheme', `Basic ${token}`],
    ['the bare token', token],
    ['nothing at all', ''],
  ] as const
  for (const [what, authorization] of cases) {
    test(what, () => {
      expect(() => authenticate({ authorization })).toThrow(
        expect.objectContaining({
          reason: 'Unauthenticated',
          headers: { 'www-authenticate': 'Bearer realm="pergola"' },
        }),
      )
    })
  }
})
