import { expect, test } from 'vitest'
import { allowsEverything, deedsOf, summaryOf, verbOf } from './deeds.ts'

const todos = { group: 'todo.example.com', plural: 'todos' }
const lists = { group: 'todo.example.com', plural: 'lists' }

test.each([
  [['watch', 'get', 'list'], ['see']],
  [
    ['patch', 'create', 'update'],
    ['create', 'change'],
  ],
  [['deletecollection'], ['delete']],
  [['*'], ['see', 'create', 'change', 'delete']],
  [['unheard-of'], []],
])('verbs %j are the deeds %j', (verbs, expected) => {
  expect(deedsOf(verbs)).toEqual(expected)
})

test('seeing any object asks for the list, seeing one asks for that object', () => {
  expect([verbOf('see', false), verbOf('see', true), verbOf('change', true)]).toEqual(['list', 'get', 'update'])
})

test('models with the same actions are grouped, and other rules are counted', () => {
  const rules = [
    { apiGroups: ['todo.example.com'], resources: ['*'], verbs: ['get', 'list'] },
    { apiGroups: ['todo.example.com'], resources: ['todos'], resourceNames: ['mine'], verbs: ['delete'] },
    { nonResourceURLs: ['/openapi'], verbs: ['get'] },
  ]
  expect(summaryOf(rules, [todos, lists])).toEqual({
    parts: [{ deeds: ['see'], models: [todos, lists] }],
    others: 2,
  })
})

test('a rule of a plugin is about the model that it names with its plugin', () => {
  const rule = { apiGroups: ['todo.example.com'], resources: ['todo/todos'], verbs: ['*'] }
  expect(summaryOf([rule], [todos, lists]).parts.map(({ models }) => models)).toEqual([[todos]])
})

test('only a rule without names about all groups, resources and verbs allows everything', () => {
  const all = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }
  expect(allowsEverything([all])).toBe(true)
  expect(allowsEverything([{ ...all, resourceNames: ['one'] }])).toBe(false)
  expect(
    allowsEverything([
      { ...all, verbs: ['get'] },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ]),
  ).toBe(false)
})
