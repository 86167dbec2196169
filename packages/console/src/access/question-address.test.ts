import { expect, test } from 'vitest'
import { questionIn, toAddress } from './question-address.ts'

test('a question survives the round trip through its address', () => {
  for (const question of [
    { user: 'ann', deed: 'delete', data: 'todo.example.com/todos', name: 'milk' },
    { user: undefined, deed: 'see', data: '/users', name: undefined },
  ] as const) {
    expect(questionIn(toAddress(question))).toEqual(question)
  }
})

test.each([
  ['nothing', {}],
  ['an unknown deed', { deed: 'watch', data: '/users' }],
  ['no data', { deed: 'see', data: '' }],
  ['data without a group', { deed: 'see', data: 'users' }],
])('an address with %s asks nothing', (_, query) => {
  expect(questionIn(query)).toBeUndefined()
})

test('of a repeated parameter the first text counts', () => {
  expect(questionIn({ deed: [null, 'see', 'delete'], data: '/users' })?.deed).toBe('see')
})
