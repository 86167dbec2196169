import { expect, it } from 'vitest'
import { matching } from './match.ts'

const items = [
  { title: 'Data models', hint: 'Host' },
  { title: 'New todo', hint: 'todo.example.com' },
  { title: 'Todos', hint: 'todo.example.com' },
  { title: 'Config maps', hint: '' },
]

it.each([
  ['to', ['Todos', 'New todo']],
  ['new t', ['New todo']],
  ['CONFIGMAP', ['Config maps']],
  ['host', ['Data models']],
  ['dels', ['Data models']],
  ['nothing', []],
  ['', ['Data models', 'New todo', 'Todos', 'Config maps']],
])('"%s" finds %j, the best first', (query, titles) => {
  expect(matching(query, items).map(({ title }) => title)).toEqual(titles)
})
