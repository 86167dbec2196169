import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from '@pergola/plugin-sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import todo from '../../examples/todo/src/plugin.ts'
import { packPlugin } from '../../packages/cli/src/plugin/pack.ts'
import { startPluginProcess } from '../../packages/server/src/plugins/process/plugin-process.ts'
import { startSqliteServer, type SqliteServer } from '../client/server.ts'
import { bridgeTo, type Bridge } from '../client/unix-bridge.ts'

const repository = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'pergola-packed-'))
let server: SqliteServer
let bridge: Bridge
beforeAll(async () => {
  for (const name of ['src', 'package.json']) {
    cpSync(join(repository, 'examples/todo', name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  await packPlugin({ folder, out: folder, conditions: ['@pergola/source'] })
  server = await startSqliteServer()
  bridge = await bridgeTo(server.url)
})
afterAll(async () => {
  await bridge[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

test('a packed plugin starts, returns its definition, evaluates, answers a custom API, and exits with 0', async () => {
  const lines: string[] = []
  const plugin = await startPluginProcess({
    name: 'todo',
    command: [process.execPath, join(folder, 'dist/plugin.js')],
    directory: folder,
    hostSocket: bridge.socket,
    limits: { memoryBytes: 256 * 1024 * 1024, scratchBytes: 1024 ** 3, processes: 8, startMs: 20_000 },
    onLine: (line) => lines.push(line),
  })
  const { link } = plugin
  expect(await link.definition()).toMatchObject(inspect(todo))
  const type = { group: 'todo.example.com', plural: 'todos' }
  const spec = { title: 'Buy milk', owner: 'ann', start: '2030-01-02T00:00:00Z', due: '2030-01-01T00:00:00Z' }
  const object = { metadata: { name: 'milk' }, spec }
  expect(await link.evaluate([{ ...type, object, indexes: ['words'], check: { verb: 'create' } }])).toEqual({
    items: [
      {
        values: { words: ['buy', 'milk'] },
        errors: [{ pointer: '/spec/due', field: 'spec.due', rule: 'check', message: 'must be later than spec.start' }],
      },
    ],
  })
  const { authorization } = link
  const path = '/apis/console.api.todo.example.com/v1alpha1/todos/-/stats'
  const answer = await link.pool.request({ path, method: 'GET', headers: { authorization } })
  // The server does not know this plugin, which callers need not notice.
  expect([answer.statusCode, await answer.body.json()]).toMatchObject([500, { reason: 'Internal' }])
  await plugin[Symbol.asyncDispose]()
  expect(await plugin.exited).toMatchObject({ code: 0, signal: null })
  // For the same reason the plugin gets neither leases nor settings. It logs the error that callers do not see, with its stack.
  const unknown =
    /^(failed to acquire the lease "reminders"|failed to read the settings todo-settings|GET \S+ failed| +at )/
  expect(lines.filter((line) => !unknown.test(line))).toEqual([])
})
