import { describe, expect, test } from 'vitest'
import { isNotModified } from '../../call/not-modified.ts'
import { assertMatches, etagOf } from './etag.ts'

const stored = {
  name: 'milk',
  uid: 'u',
  version: 3,
  generation: 1,
  createdAt: 0,
  storedAs: 'v1',
  data: Buffer.from('}'),
}

test('an ETag identifies an object and its version', () => expect(etagOf(stored)).toBe('"u.3"'))

describe('with If-None-Match', () => {
  const cases: readonly (readonly [sent: string | undefined, isKnown: boolean])[] = [
    [undefined, false],
    ['"u.3"', true],
    ['W/"u.3"', true],
    ['"u.2", W/"u.3"', true],
    [' * ', true],
    ['"u.2"', false],
    ['u.3', false],
    ['', false],
  ]
  for (const [sent, isKnown] of cases) {
    test(`${String(sent)} ${isKnown ? 'matches' : 'does not match'}`, () => {
      expect(isNotModified(sent === undefined ? {} : { 'if-none-match': sent }, '"u.3"')).toBe(isKnown)
    })
  }
})

describe('with If-Match', () => {
  const allowed = [undefined, '"u.3"', '"u.2","u.3"', '*']
  const refused = ['"u.2"', 'W/"u.3"', 'u.3', '""', '']
  const ask = (sent: string | undefined) => () => assertMatches({ ifMatch: sent }, stored, 'todo "milk"')
  for (const sent of allowed) test(`${String(sent)} the write is allowed`, () => expect(ask(sent)).not.toThrow())
  for (const sent of refused) {
    test(`${sent} the write is rejected with the current ETag`, () => {
      expect(ask(sent)).toThrow(
        expect.objectContaining({
          reason: 'PreconditionFailed',
          message: `todo "milk" is "u.3", If-Match asks for ${sent}; read it again and retry`,
        }) as Error,
      )
    })
  }
})

describe('a write with If-None-Match', () => {
  const ask = (ifNoneMatch: string) => () => assertMatches({ ifNoneMatch }, stored, 'todo "milk"')
  for (const sent of ['*', '"u.3"', 'W/"u.3"', '"u.2", "u.3"']) {
    test(`${sent} is rejected`, () =>
      expect(ask(sent)).toThrow(expect.objectContaining({ reason: 'PreconditionFailed' }) as Error))
  }
  test('"u.2" is allowed', () => expect(ask('"u.2"')).not.toThrow())
})
