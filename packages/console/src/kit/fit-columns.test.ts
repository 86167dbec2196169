import { expect, test } from 'vitest'
import { fittingColumns } from './fit-columns.ts'

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
