import { expect, test } from 'vitest'
import { headLines } from './head.ts'

test('the head names the link to the console and the API of the first model', () => {
  const url = 'http://127.0.0.1:8090'
  const model = { apiVersion: 'todo.example.com/v1', plural: 'todos' }
  const lines = headLines({ version: '1.0.0', seconds: 1, url, signInLink: `${url}/auth/login#0af3`, model })
  expect(lines.slice(1)).toEqual([
    '  console  http://127.0.0.1:8090/auth/login#0af3   (opens signed in as admin, once)',
    '  api      http://127.0.0.1:8090/apis/todo.example.com/v1/todos   (documented at /openapi)',
    '  try      npx pergola --as admin list todos   (--as ann: signed in, --as nobody: anonymous)',
  ])
})

test('the head names the user whom the link signs in', () => {
  const lines = headLines({
    version: '1.0.0',
    seconds: 1,
    url: 'http://127.0.0.1:1',
    signInLink: 'http://a',
    as: 'bob',
  })
  expect(lines[1]).toBe('  console  http://a   (opens signed in as bob, once)')
})
