import { describe, expect, test } from 'vitest'
import { fullName } from './resource-names.ts'
import type { KnownResource } from './known-resource.ts'
import { findResource } from './resources.ts'

function resource(group: string, singular: string, plural = `${singular}s`): KnownResource {
  const path = group === '' ? '/api/v1' : `/apis/${group}/v1`
  return { group, version: 'v1', path, kind: singular, singular, plural, statusSubresource: false, indexes: [] }
}

const known = [
  resource('', 'user'),
  resource('', 'role'),
  resource('todo.example.com', 'todo'),
  resource('notes.example.com', 'note'),
  resource('more.example.com', 'note'),
  resource('more.example.com', 'user'),
]

describe('a resource is found by', () => {
  test.each([
    ['its plural', 'todos', 'todos.todo.example.com'],
    ['its singular', 'todo', 'todos.todo.example.com'],
    ['its plural and group', 'notes.more.example.com', 'notes.more.example.com'],
    ['its singular and group', 'note.notes.example.com', 'notes.notes.example.com'],
    ['a core name, even if a plugin has the same', 'users', 'users'],
    ['a core name with the group of a plugin', 'users.more.example.com', 'users.more.example.com'],
  ])('%s', (_what, named, expected) => expect(fullName(findResource(known, named))).toBe(expected))
})

describe('a resource is rejected', () => {
  test.each([
    [
      'that is ambiguous between groups',
      'notes',
      /say which one: notes\.notes\.example\.com, notes\.more\.example\.com/,
    ],
    ['with a letter missing', 'todo.todo.example.co', /did you mean todos\.todo|there are/],
    ['with letters swapped', 'tdoos', /did you mean todos\?|did you mean todos or todo\?/],
    ['with only a prefix', 'tod', /did you mean todo or todos/],
    ['without a similar name', 'elephants', /there are notes\.more\.example\.com, .*, roles, .*users/],
  ])('%s', (_what, named, words) => expect(() => findResource(known, named)).toThrow(words))
})
