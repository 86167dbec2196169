import { expect, test } from 'vitest'
import { initialsOf } from './initials.ts'

test.each([
  ['Ann Berger', 'AB'],
  ['ann', 'AN'],
  ['sofía-álvarez', 'SÁ'],
  ['Jan van der Berg', 'JB'],
  ['李伟', '李伟'],
  ['', ''],
])('the initials of %j are %j', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})
