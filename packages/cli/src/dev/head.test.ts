import { expect, test } from 'vitest'
import { headLines } from './head.ts'

test('the head names the console, the API of the first model and the documentation', () => {
  const model = { apiVersion: 'todo.example.com/v1', plural: 'todos' }
  const lines = headLines({ version: '1.0.0', seconds: 1, url: 'http://localhost:8090', model })
  expect(lines.slice(1, 4)).toEqual([
    expect.stringMatching(/^ {2}console {2}http:\/\/localhost:8090\/console /),
    '  api      http://localhost:8090/apis/todo.example.com/v1/todos',
    expect.stringMatching(/^ {2}docs {5}http:\/\/localhost:8090\/openapi /),
  ])
})
