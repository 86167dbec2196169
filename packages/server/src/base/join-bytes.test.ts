import { expect, test } from 'vitest'
import { joinBytes } from './join-bytes.ts'

test('texts of any language and bytes are joined in order', () => {
  const parts = ['', 'a', Buffer.from('ü'), '€ 𝄞', Buffer.from([0xff]), '\ud800', Buffer.alloc(0)]
  expect(joinBytes(parts)).toEqual(Buffer.concat(parts.map((part) => Buffer.from(part as string))))
})
