import { expect, test } from 'vitest'
import { refusedValue } from './refused-value.ts'

test.each([
  ['English', 'Key (name)=(ann (2)) already exists.', 'ann (2)'],
  ['German', 'Schlüssel »(name)=(ann)« existiert bereits.', 'ann'],
  ['Japanese', 'キー (k1)=(a=b) はすでに存在します。', 'a=b'],
  ['hidden', '', undefined],
])('the refused value is found in the message of a server that speaks %s', (_language, detail, value) => {
  expect(refusedValue(detail)).toBe(value)
})
