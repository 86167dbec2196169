import { describe, expect, test } from 'vitest'
import { addressRanges, faultOfRange, plainAddress } from './address-range.ts'

describe('an address', () => {
  const cases: readonly (readonly [within: boolean, address: string, range: string])[] = [
    [true, '10.1.2.3', '10.0.0.0/8'],
    [false, '11.1.2.3', '10.0.0.0/8'],
    [true, '10.0.0.7', '10.0.0.7'],
    [false, '10.0.0.8', '10.0.0.7'],
    [true, '10.0.0.7', '10.0.0.7/32'],
    [true, '192.168.1.129', '192.168.1.128/25'],
    [false, '192.168.1.127', '192.168.1.128/25'],
    [true, '::ffff:10.1.2.3', '10.0.0.0/8'],
    [true, '10.1.2.3', '::ffff:10.0.0.0/104'],
    [true, '::ffff:a01:203', '10.0.0.0/8'],
    [true, 'fd00::1', 'fd00::/8'],
    [false, 'fe80::1', 'fd00::/8'],
    [true, '2001:db8:0:0:0:0:0:1', '2001:DB8::1'],
    [false, '::1', '127.0.0.0/8'],
    [false, '::a01:203', '10.0.0.0/8'],
    [false, '', '10.0.0.0/8'],
    [false, 'unknown', '10.0.0.0/8'],
  ]
  for (const [within, address, range] of cases) {
    test(`${address || 'that is empty'} is ${within ? '' : 'not '}in ${range}`, () => {
      expect(addressRanges([range])(address)).toBe(within)
    })
  }

  test('is in no range of an empty list', () => {
    expect(addressRanges([])('127.0.0.1')).toBe(false)
  })
})

describe('a range', () => {
  const cases: readonly (readonly [text: string, fault: RegExp])[] = [
    ['*', /^must be an address/],
    ['proxy.example.com', /^must be an address/],
    ['', /^must be an address/],
    ['10.0.0.0/33', /^must be an address/],
    ['10.0.0.0/', /^must be an address/],
    ['10.0.0.0/8/8', /^must be an address/],
    ['fd00::/129', /^must be an address/],
    ['10.0.0', /^must be an address/],
    ['0.0.0.0/0', /^would trust every client/],
    ['::/0', /^would trust every client/],
    ['::/1', /^would trust every client/],
    ['::ffff:0.0.0.0/96', /^would trust every client/],
    ['10.0.0.5/8', /^has bits set after its prefix; .* 10\.0\.0\.5 alone$/],
    ['fd00::1/8', /^has bits set after its prefix/],
  ]
  for (const [text, fault] of cases) {
    test(`cannot be "${text}"`, () => {
      expect(faultOfRange(text)).toMatch(fault)
    })
  }
})

describe('normalized,', () => {
  const cases: readonly (readonly [text: string, plain: string | undefined])[] = [
    ['10.0.0.7', '10.0.0.7'],
    ['10.0.0.7:443', '10.0.0.7'],
    ['::ffff:10.0.0.7', '10.0.0.7'],
    ['::FFFF:0a00:0007', '10.0.0.7'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', undefined],
    ['_hidden', undefined],
    ['10.0.0.256', undefined],
    ['', undefined],
  ]
  for (const [text, plain] of cases) {
    test(`"${text}" is ${plain ?? 'no address'}`, () => {
      expect(plainAddress(text)).toBe(plain)
    })
  }
})
