import { describe, expect, test } from 'vitest'
import { reviewedRequest } from './reviewed-request.ts'

const known = [
  {
    group: 'todo.example.com',
    version: 'v1',
    path: '/apis/todo.example.com/v1',
    kind: 'Todo',
    singular: 'todo',
    plural: 'todos',
    statusSubresource: true,
    indexes: [],
  },
]
const todos = { verb: 'get', group: 'todo.example.com', resource: 'todos' }

describe('a review request is built from', () => {
  test.each([
    ['a resource', { resource: 'todos' }, todos],
    ['a singular resource name and an object name', { resource: 'todo', name: 'milk' }, { ...todos, name: 'milk' }],
    ['a sub-resource', { resource: 'todos/status' }, { ...todos, subresource: 'status' }],
    ['a sub-resource in a group', { resource: 'todos/status.todo.example.com' }, { ...todos, subresource: 'status' }],
    ['a custom API', { resource: 'todos.uc.api.todo.example.com' }, { ...todos, group: 'uc.api.todo.example.com' }],
    ['a path', { resource: '/apis' }, { verb: 'get', path: '/apis' }],
  ])('%s', (_what, asked, expected) => expect(reviewedRequest({ verb: 'get', ...asked }, known)).toEqual(expected))
})

describe('a review request is rejected', () => {
  test.each([
    ['with a misspelt verb', { verb: 'lst', resource: 'todos' }, /did you mean list\?/],
    ['with an unknown verb', { verb: 'frobnicate', resource: 'todos' }, /verbs are create, delete/],
    ['with an unknown resource', { verb: 'get', resource: 'toodos' }, /did you mean todos/],
    ['with a path and an object name', { verb: 'get', resource: '/apis', name: 'a' }, /one too many/],
    ['with an empty resource', { verb: 'get', resource: '.' }, /is no resource/],
  ])('%s', (_what, asked, words) => expect(() => reviewedRequest(asked, known)).toThrow(words))
})
