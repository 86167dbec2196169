import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareKeys, indexKey, maxKeyBytes, prefixEnd, valueOfKey, type KeyType } from './index-key.ts'

function keyOf(type: KeyType, value: string | number | boolean): string {
  const result = indexKey(type, value)
  if ('fault' in result) throw new Error(result.fault)
  return result.key
}

const sign = (order: number) => Math.sign(order)

test('keys of numbers keep their order and equality', () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(finite, finite, (a, b) => {
      expect(sign(compareKeys(keyOf('number', a), keyOf('number', b)))).toBe(a < b ? -1 : a > b ? 1 : 0)
    }),
  )
  expect(keyOf('number', -0)).toBe(keyOf('number', 0))
})

test('keys of times keep their order, with any offset and precision', () => {
  const at = fc.date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  })
  const minutes = fc.integer({ min: -14 * 60, max: 14 * 60 })
  const written = (date: Date, offset: number) => {
    const shifted = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1)
    const pad = (value: number) => String(Math.abs(value)).padStart(2, '0')
    return `${shifted}${offset < 0 ? '-' : '+'}${pad(Math.trunc(offset / 60))}:${pad(offset % 60)}`
  }
  fc.assert(
    fc.property(at, minutes, at, minutes, (a, aOffset, b, bOffset) => {
      const order = compareKeys(keyOf('timestamp', written(a, aOffset)), keyOf('timestamp', written(b, bOffset)))
      expect(sign(order)).toBe(sign(a.getTime() - b.getTime()))
    }),
  )
  expect(keyOf('timestamp', '2030-03-01T10:00:00+01:00')).toBe(keyOf('timestamp', '2030-03-01T09:00:00.000Z'))
  expect(
    compareKeys(keyOf('timestamp', '2030-01-01T00:00:00.000000001Z'), keyOf('timestamp', '2030-01-01T00:00:00Z')),
  ).toBe(1)
})

test('the value of a key is the value that the key was made of', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(valueOfKey('number', keyOf('number', value))).toBe(value === 0 ? 0 : value)
    }),
  )
  const others: readonly (readonly [type: KeyType, value: string | boolean])[] = [
    ['string', 'c000000000000000'],
    ['boolean', true],
    ['boolean', false],
    ['timestamp', '2030-03-01T09:00:00Z'],
    ['timestamp', '2030-03-01T09:00:10.05Z'],
  ]
  for (const [type, value] of others) expect(valueOfKey(type, keyOf(type, value))).toBe(value)
})

test('strings are their own keys and compare by code point, not by UTF-16 unit', () => {
  expect(keyOf('string', 'é')).toBe('é')
  expect(compareKeys('\ufffd', '\u{1f600}')).toBe(-1)
  expect(['\u{1f600}', '\ufffd'].toSorted()).toEqual(['\u{1f600}', '\ufffd'])
})

test('false sorts before true', () => {
  expect(compareKeys(keyOf('boolean', false), keyOf('boolean', true))).toBe(-1)
  expect(keyOf('boolean', 'true')).toBe(keyOf('boolean', true))
})

describe('there is no key for', () => {
  const cases: readonly (readonly [what: string, type: KeyType, value: string | number])[] = [
    ['a string with U+0000', 'string', 'a\0b'],
    ['a string too long in bytes', 'string', 'é'.repeat(maxKeyBytes / 2 + 1)],
    ['NaN', 'number', Number.NaN],
    ['infinity', 'number', Number.POSITIVE_INFINITY],
    ['a date without a time', 'timestamp', '2030-01-01'],
    ['a time that does not exist', 'timestamp', '2030-13-01T00:00:00Z'],
    ['a time before the year 0', 'timestamp', '0000-01-01T00:00:00+14:00'],
  ]
  for (const [what, type, value] of cases) test(what, () => expect(indexKey(type, value)).toHaveProperty('fault'))
  test('but there is one for the maximum length', () => {
    expect(indexKey('string', 'a'.repeat(maxKeyBytes))).toHaveProperty('key')
  })
})

test('the end of a prefix range is above all strings with the prefix, and above no other', () => {
  const letters = fc.string({
    unit: fc.constantFrom('a', 'b', '\ud7ff', '\ue000', '\uffff', '\u{10ffff}'),
    maxLength: 4,
  })
  fc.assert(
    fc.property(letters, letters, (prefix, other) => {
      const end = prefixEnd(prefix)
      const inRange = compareKeys(other, prefix) >= 0 && (end === undefined || compareKeys(other, end) < 0)
      expect(inRange).toBe(other.startsWith(prefix))
    }),
  )
})
