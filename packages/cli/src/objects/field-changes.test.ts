import { describe, expect, test } from 'vitest'
import { changeLines, fieldChanges } from './field-changes.ts'

describe('a change is shown', () => {
  test.each([
    ['of a field', { spec: { state: 'open' } }, { spec: { state: 'done' } }, ['spec.state  open -> done']],
    ['that adds a field', { spec: {} }, { spec: { due: 1 } }, ['spec.due  + 1']],
    ['that removes a field', { spec: { due: null } }, { spec: {} }, ['spec.due  - null']],
    ['of a list item', { tags: ['a', 'b'] }, { tags: ['a', 'c'] }, ['tags[1]  b -> c']],
    ['of the length of a list', { tags: ['a'] }, { tags: ['a', 'b'] }, ['tags  ["a"] -> ["a","b"]']],
    ['of a key with dots', { l: { 'a/b.c': '1' } }, { l: { 'a/b.c': '2' } }, ['l["a/b.c"]  1 -> 2']],
    ['of an empty string', { a: '' }, { a: 'x' }, ['a  "" -> x']],
    ['to another type', { a: { b: 1 } }, { a: 2 }, ['a  {"b":1} -> 2']],
    ['as nothing for equal objects', { a: { b: [1] } }, { a: { b: [1] } }, []],
  ])('%s', (_what, before, after, lines) => expect(changeLines(fieldChanges(before, after))).toEqual(lines))

  test('in columns, truncated, with at most twelve lines', () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, 'x'.repeat(100)]))
    const lines = changeLines(fieldChanges({}, many))
    expect(lines).toHaveLength(13)
    expect(lines[0]).toBe(`f0   + ${'x'.repeat(47)}…`)
    expect(lines[12]).toBe('and 8 more')
  })

  test('without secret values and with control characters escaped', () => {
    const changes = fieldChanges({ data: { a: '1', b: '2' } }, { data: { a: '3', c: '4' }, note: '\u001b[2J' })
    expect(changeLines(changes, (field) => field.startsWith('data'))).toEqual([
      'data.a  another value (not shown)',
      'data.b  - (not shown)',
      'data.c  + (not shown)',
      String.raw`note    + \u{1b}[2J`,
    ])
  })
})
