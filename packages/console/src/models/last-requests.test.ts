import type { ApiObject } from '@pergola/client'
import { expect, it } from 'vitest'
import { canBeLast, lastBatches } from './last-requests.ts'

const todos = { group: 'todo.example.com', version: 'v1', plural: 'todos' }
const objectsOf = (count: number, nameLength = 8) =>
  Array.from({ length: count }, (_, at) => {
    return { metadata: { name: String(at).padStart(nameLength, 'n') } } as ApiObject
  })

it.each([
  [1, 8, [1], true],
  [100, 8, [100], true],
  [201, 8, [100, 100, 1], true],
  // Many long names are too many bytes.
  [300, 253, [100, 100, 100], false],
  [5_000, 8, Array.from({ length: 50 }, () => 100), false],
])('%i deletions with names of %i characters', (count, nameLength, sizes, isPossible) => {
  const objects = objectsOf(count, nameLength)
  const batches = lastBatches(todos, objects)
  expect(batches.map(({ length }) => length)).toEqual(sizes)
  expect(batches.flat().map((one) => 'name' in one && one.name)).toEqual(objects.map(({ metadata }) => metadata.name))
  expect(canBeLast(todos, objects)).toBe(isPossible)
})
