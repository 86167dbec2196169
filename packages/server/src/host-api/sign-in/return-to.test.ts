import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readReturnTo } from './return-to.ts'

const ours = 'https://pergola.example.com'
const read = (returnTo: string) => readReturnTo(new URLSearchParams({ returnTo }), `${ours}/`)

test('the default is /', () => {
  expect(readReturnTo(new URLSearchParams(), ours)).toBe('/')
})

test('a path of the server is kept', () => {
  for (const path of ['/', '/console', '/a/b?c=d&e=%2F#f', '/a//b']) expect(read(path)).toBe(path)
})

describe('rejected:', () => {
  const others = [
    'https://evil.example',
    `${ours}.evil.example/`,
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/\t/evil.example',
    '\\\\evil.example',
    ' /console',
    'javascript:alert(1)',
    '',
    `/${'a'.repeat(2_000)}`,
  ]
  for (const other of others) {
    test(JSON.stringify(other).slice(0, 40), () => expect(() => read(other)).toThrow('returnTo must be a path of'))
  }
})

test('every accepted path stays on our origin, also when resolved as relative', () => {
  const part = fc.constantFrom('/', '\\', '.', '..', '\t', '\n', '@', ':', '?', '#', '%2f', 'evil.example', 'a')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      let path: string
      try {
        path = read(parts.join(''))
      } catch {
        return
      }
      expect(new URL(path, ours).origin).toBe(ours)
      expect(new URL(ours + path).origin).toBe(ours)
    }),
  )
})
