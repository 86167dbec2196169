import { expect, test } from 'vitest'
import { columnWidths, fittingColumns } from './fit-columns.ts'

const columns = [
  { key: 'title' },
  { key: 'state', width: 120 },
  { key: 'due', width: 120 },
  { key: 'amount', width: 110 },
]
const keysIn = (room: number) => fittingColumns(columns, room).map(({ key }) => key)

test('columns that do not fit go, the last first', () => {
  expect(keysIn(600)).toEqual(['title', 'state', 'due', 'amount'])
  expect(keysIn(500)).toEqual(['title', 'state', 'due'])
  expect(keysIn(350)).toEqual(['title', 'state'])
})

test('the title stays in the narrowest table', () => {
  expect(keysIn(10)).toEqual(['title'])
})

test.each([
  ['no room to share', 480, [140, 140, 120]],
  ['room for all', 540, [170, 170, 120]],
  ['more room than a text needs', 2000, [240, 240, 120]],
])('columns without a width share the room with the title: %s', (_, room, expected) => {
  expect(columnWidths([{}, {}, { width: 120 }], room)).toEqual(expected)
})
