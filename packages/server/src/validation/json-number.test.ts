import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberFault } from './json-number.ts'

/** The exact value, as a fraction of two integers. */
function fraction(text: string): readonly [over: bigint, under: bigint] {
  const [, sign = '', whole = '', , part = '', , exponent = '0'] =
    /^(-?)(\d+)(\.(\d+))?([eE]([-+]?\d+))?$/.exec(text) ?? []
  const power = Number(exponent) - part.length
  const digits = BigInt(`${whole}${part}`) * (sign === '-' ? -1n : 1n)
  return power < 0 ? [digits, 10n ** BigInt(-power)] : [digits * 10n ** BigInt(power), 1n]
}

function equal(a: string, b: string): boolean {
  const [over, under] = fraction(a)
  const [otherOver, otherUnder] = fraction(b)
  return over * otherUnder === otherOver * under
}

const digits = (maxLength: number) =>
  fc.array(fc.constantFrom('0', '0', '1', '5', '9'), { minLength: 1, maxLength }).map((all) => all.join(''))
const text = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: digits(17).map((all) => String(BigInt(all))),
    part: fc.oneof(
      fc.constant(''),
      digits(20).map((all) => `.${all}`),
    ),
    exponent: fc.oneof(
      fc.constant(''),
      fc.tuple(fc.constantFrom('e', 'E-', 'e+'), digits(3)).map(([letter, power]) => `${letter}${power}`),
    ),
  })
  .map(({ sign, whole, part, exponent }) => `${sign}${whole}${part}${exponent}`)

test('a number is accepted exactly if it is safe and serializes to the same decimal number', () => {
  const runs = 2_000 * Number(process.env['CASES'] ?? 1)
  let sound = 0
  fc.assert(
    fc.property(text, (number) => {
      const value = Number(number)
      const expected = Math.abs(value) <= Number.MAX_SAFE_INTEGER && equal(number, String(value))
      if (expected) sound++
      expect(numberFault(number) === undefined).toBe(expected)
    }),
    { numRuns: runs },
  )
  expect(sound).toBeGreaterThan(runs * 0.1)
  expect(sound).toBeLessThan(runs * 0.9)
})

test('every safe double is accepted as JavaScript writes it', () => {
  const safe = fc.double({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, noNaN: true })
  fc.assert(
    fc.property(safe, (value) => {
      expect(numberFault(String(value))).toBeUndefined()
    }),
  )
})
