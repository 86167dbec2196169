import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeChanges } from './merge-changes.ts'

const base = { spec: { title: 'a', state: 'open', tags: ['x'], address: { city: 'Rome' } } }

test.each([
  ['a change of one side', { spec: { ...base.spec, title: 'b' } }, base, { spec: { ...base.spec, title: 'b' } }, []],
  [
    'changes of different fields',
    { spec: { ...base.spec, title: 'b' } },
    { spec: { ...base.spec, state: 'done' } },
    { spec: { ...base.spec, title: 'b', state: 'done' } },
    ['spec.state'],
  ],
  [
    'the edited value of a conflict',
    { spec: { ...base.spec, title: 'b' } },
    { spec: { ...base.spec, title: 'c' } },
    { spec: { ...base.spec, title: 'b' } },
    ['spec.title!'],
  ],
  [
    'a removal by the server',
    base,
    { spec: { title: 'a', state: 'open', tags: ['x'] } },
    { spec: { title: 'a', state: 'open', tags: ['x'] } },
    ['spec.address'],
  ],
  [
    'a removal by the editor, against a change below it',
    { spec: { title: 'a', state: 'open', tags: ['x'] } },
    { spec: { ...base.spec, address: { city: 'Oslo' } } },
    { spec: { title: 'a', state: 'open', tags: ['x'] } },
    ['spec.address!'],
  ],
  ['the same change of both', { spec: { title: 'z' } }, { spec: { title: 'z' } }, { spec: { title: 'z' } }, []],
])('keeps %s', (_what, edited, stored, value, changed) => {
  const merged = mergeChanges({ base, edited, stored })
  expect(merged.value).toEqual(value)
  expect(merged.foreign.map(({ path, isConflict }) => `${path.join('.')}${isConflict ? '!' : ''}`)).toEqual(changed)
})

test('without a change on one side, the result is the other side', () => {
  const some = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.oneof(fc.integer({ min: 0, max: 2 }), fc.dictionary(fc.constantFrom('x', 'y'), fc.integer({ min: 0, max: 1 }))),
  )
  fc.assert(
    fc.property(some, some, (one, other) => {
      expect(mergeChanges({ base: one, edited: other, stored: one }).value).toEqual(other)
      expect(mergeChanges({ base: one, edited: one, stored: other }).value).toEqual(other)
    }),
  )
})
