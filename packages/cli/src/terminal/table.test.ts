import { expect, test } from 'vitest'
import { tableOf } from './table.ts'
import { shortDuration } from './times.ts'
import { visibleJson } from './visible.ts'

test('column widths count wide and combining characters', () =>
  expect(
    tableOf(
      ['NAME', 'CITY'],
      [
        ['ann', '東京'],
        ['b', 'Ålesund'],
        ['言葉', 'x'],
      ],
    ),
  ).toEqual(['  NAME  CITY', '  ann   東京', '  b     Ålesund', '  言葉  x']))

test.each([
  [-5, '0s'],
  [900, '0s'],
  [59_000, '59s'],
  [61_000, '1m'],
  [7_200_000, '2h'],
  [14 * 86_400_000, '14d'],
])('%d ms are %s', (milliseconds, words) => expect(shortDuration(milliseconds)).toBe(words))

test('JSON is shown with control characters escaped and the same value', () => {
  const text = JSON.stringify({ a: '\u009b2J\u202e\u2028x\u{e0001}' })
  const shown = visibleJson(text)
  expect(shown).toMatch(/^[ -~]*$/)
  expect(JSON.parse(shown)).toEqual(JSON.parse(text))
})
