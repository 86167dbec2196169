import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation } from './cli-installation.ts'
import { todo, todoModel } from './cli-todos.ts'

let installation: Installation
beforeAll(async () => {
  installation = await startInstallation()
  const objects = Array.from({ length: 7 }, (_, at) => todo(`todo-${at}`, `title: Todo ${at}`)).join('')
  await installation.done(['apply', '-f', 'all.yaml'], { files: { 'all.yaml': `${todoModel}${objects}` } })
})
afterAll(() => installation[Symbol.asyncDispose]())

const todos = '/apis/todo.example.com/v1alpha1/todos'
const api = (...args: readonly string[]) => installation.done(['api', ...args])

test('sends a request as who is signed in, and prints JSON or what a path finds in it', async () => {
  expect(JSON.parse(await api(`${todos}/todo-1`))).toMatchObject({ spec: { title: 'Todo 1' } })
  expect(await api(`${todos.slice(1)}/todo-1`, '-q', '.spec.title')).toBe('Todo 1\n')
  expect(
    await api(todos, '-X', 'get', '-f', 'size=2', '-f', 'sort=metadata.name,asc', '-q', '.items[*].metadata.name'),
  ).toBe('todo-0\ntodo-1\n')
  expect(await api('/apis/api.platform.run/v1alpha1/users/-/permissions', '--jsonpath', '.username')).toBe('admin\n')
})

test('fields make a body, by dots or brackets; --input takes a file', async () => {
  const made = await api(
    todos,
    '-f',
    'metadata.name=tea',
    '-f',
    'spec[title]=7',
    '-F',
    'metadata.labels={"team":"blue"}',
  )
  expect(JSON.parse(made)).toMatchObject({
    metadata: { labels: { team: 'blue' } },
    spec: { title: '7', state: 'open' },
  })
  expect(JSON.parse(await api(`${todos}/tea`, '-X', 'PATCH', '-f', 'spec.state=done'))).toMatchObject({
    spec: { state: 'done' },
  })
  const files = { 'patch.json': '[{"op":"replace","path":"/spec/state","value":"open"}]' }
  const patched = await installation.done(['api', `${todos}/tea`, '-X', 'PATCH', '--input', 'patch.json'], { files })
  expect(JSON.parse(patched)).toMatchObject({ spec: { state: 'open' } })
  const stale = await installation.run(['api', `${todos}/tea`, '-X', 'DELETE', '-H', 'If-Match: "x.0"'])
  expect([stale.code, stale.stdout]).toEqual([1, ''])
  await api(`${todos}/tea`, '-X', 'DELETE')
  const gone = await installation.run(['api', `${todos}/tea`])
  expect([gone.code, gone.stderr]).toEqual([1, 'there is no todo "tea"\n'])
})

test('--paginate follows all pages', async () => {
  const { items } = JSON.parse(await api(`${todos}?size=3&sort=metadata.name,asc`, '--paginate')) as {
    readonly items: readonly { readonly metadata: { readonly name: string } }[]
  }
  expect(items.map(({ metadata }) => metadata.name)).toEqual(Array.from({ length: 7 }, (_, at) => `todo-${at}`))
  const names = await api(`${todos}?size=2&sort=metadata.name,asc`, '--paginate', '-q', '.items[*].metadata.name')
  expect(names.trim().split('\n')).toHaveLength(7)
  expect(await api(`${todos}?fieldSelector=spec.state=done`, '--paginate')).toBe('{"items":[]}\n')
  expect((await installation.run(['api', '/apis?continue=x', '--paginate'])).code).not.toBe(0)
})

test.each([
  [['/apis', '-f', 'x'], 'a field is name=value'],
  [['//192.0.2.1/apis'], 'is not a path of the server'],
  [['\\192.0.2.1/apis'], 'is not a path of the server'],
  [['/apis', '-H', 'x'], 'a header is "Name: value"'],
  [['/apis', '--input', 'nowhere'], 'nowhere cannot be read'],
  [['/apis', '-q', '.x['], 'is not a JSONPath'],
])('%j is a usage error', async (args, words) => {
  expect(await installation.run(['api', ...args])).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(words),
  })
})
