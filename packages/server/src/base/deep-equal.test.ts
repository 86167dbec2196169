import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deepEqual } from './deep-equal.ts'

describe('two values are', () => {
  const cases: readonly (readonly [what: string, a: string, b: string, equal: boolean])[] = [
    ['equal if only the order of keys differs', '{"a":1,"b":{"c":[],"d":2}}', '{"b":{"d":2,"c":[]},"a":1}', true],
    ['different if the order of items differs', '[1,2]', '[2,1]', false],
    ['different when one has more keys', '{"a":1}', '{"a":1,"b":2}', false],
    ['different when one has more items', '[1]', '[1,1]', false],
    ['different if a key is null in one and missing in the other', '{"a":null}', '{"b":null}', false],
    ['different when a key is only inherited', '{"__proto__":{}}', '{"a":{}}', false],
    ['different as number and text', '1', '"1"', false],
    ['different as array and object', '["x"]', '{"0":"x"}', false],
    ['different as object and array', '{}', '[]', false],
    ['different as null and object', 'null', '{}', false],
    ['equal as 0 and -0, which JSON serializes alike', '[0]', '[-0]', true],
  ]
  for (const [what, a, b, equal] of cases) {
    test(what, () => expect(deepEqual(JSON.parse(a), JSON.parse(b))).toBe(equal))
  }
})

test('values are equal exactly if they serialize to the same text with sorted keys', () => {
  const few = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(0, 1, '', null, true),
      fc.array(tie('any'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'toString'), tie('any'), { maxKeys: 2, noNullPrototype: true }),
    ),
  })).any
  fc.assert(
    fc.property(few, few, (a, b) => {
      expect(deepEqual(a, b)).toBe(sorted(a) === sorted(b))
      expect(deepEqual(a, JSON.parse(sorted(a)))).toBe(true)
    }),
    { numRuns: 500 * Number(process.env['CASES'] ?? 1) },
  )
})

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}
