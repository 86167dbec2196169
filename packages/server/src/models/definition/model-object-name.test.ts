import { expect, test } from 'vitest'
import { modelObjectName } from './model-object-name.ts'

test('a declaration is named by the plural and the beginning of a hash in base 32', () => {
  // printf 'todo.example.com/todos' | sha256sum | cut -c-64 | xxd -r -p | base32 | head -c 10 | tr A-Z a-z
  expect(modelObjectName({ group: 'todo.example.com', plural: 'todos' })).toBe('todos-5d2iguhyje')
})

test('the same plural in another group is another name', () => {
  const names = ['a.example', 'b.example'].map((group) => modelObjectName({ group, plural: 'todos' }))
  expect(new Set(names).size).toBe(2)
})
