import { expect, test } from 'vitest'
import { modelObjectName } from './model-object-name.ts'

test('a definition is named by its plural and the beginning of a base32 hash', () => {
  // printf 'todo.example.com/todos' | sha256sum | cut -c-64 | xxd -r -p | base32 | head -c 10 | tr A-Z a-z
  expect(modelObjectName({ group: 'todo.example.com', plural: 'todos' })).toBe('todos-5d2iguhyje')
})

test('the same plural in another group has another name', () => {
  const names = ['a.example', 'b.example'].map((group) => modelObjectName({ group, plural: 'todos' }))
  expect(new Set(names).size).toBe(2)
})
