import { objectNameFault } from '@pergola/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanedName } from './user-name.ts'

const cases: readonly (readonly [preferred: unknown, name: string])[] = [
  ['ann', 'ann'],
  ['Ann.Example', 'ann-example'],
  ['ann@example.com', 'ann-example-com'],
  ['Åsa Öberg', 'asa-oberg'],
  ['--a--b--', 'a-b'],
  ['山田', 'user'],
  ['', 'user'],
  [undefined, 'user'],
  [7, 'user'],
  [`${'a'.repeat(59)}.b`, 'a'.repeat(59)],
]
for (const [preferred, name] of cases) {
  test(`${JSON.stringify(preferred)} becomes ${name}`, () => expect(cleanedName(preferred)).toBe(name))
}

test('any preferred name becomes a valid object name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (preferred) => {
      expect(objectNameFault(`${cleanedName(preferred)}-12345`)).toBeUndefined()
      expect(objectNameFault(cleanedName(preferred))).toBeUndefined()
    }),
  )
})
