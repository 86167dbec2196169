import { expect, test } from 'vitest'
import { cookieIn, sessionCookie } from './cookie.ts'

test('over https the session cookie has the __Host- prefix and is Secure', () => {
  const cookie = sessionCookie('https://pergola.example.com')
  const attributes = 'Path=/; HttpOnly; SameSite=Lax; Secure'
  expect(cookie.set('pgs_a', 60)).toBe(`__Host-pergola-session=pgs_a; ${attributes}; Max-Age=60`)
  expect(cookie.cleared).toBe(`__Host-pergola-session=; ${attributes}; Max-Age=0`)
})

test('over http the cookie has no prefix, because browsers would reject it', () => {
  const cookie = sessionCookie('http://127.0.0.1:8090')
  expect(cookie.set('pgs_a', 60)).toBe('pergola-session=pgs_a; Path=/; HttpOnly; SameSite=Lax; Max-Age=60')
})

test('a cookie is found among others by its full name', () => {
  expect(cookieIn('a=1; b=2;c=3', 'c')).toBe('3')
  expect(cookieIn('xb=1; b=2=3', 'b')).toBe('2=3')
  expect(cookieIn('xb=1', 'b')).toBeUndefined()
  expect(cookieIn(undefined, 'b')).toBeUndefined()
})
