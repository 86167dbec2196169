import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, test, vi } from 'vitest'
import { startPergola } from './pergola-process.ts'
import { pluginPackage, todoDefinition } from './plugin-package.ts'

/**
 * A SQLite database of the first schema, written by the commit that defined it: the plugins `todo` and `notes`, 100 notes, 4
 * todos (one of them declared), a secret, a user with a role of `todo`.
 */
const fixture = join(import.meta.dirname, 'fixtures/first-schema.db.gz')
const sealingKey = 'ZnJhZ3JhbnQgZnJhY3Rpb24gZnJhbWVzIGZyZWVseSE='
const password = 'correct horse battery'
const directory = mkdtempSync(join(tmpdir(), 'pergola-first-schema-'))
afterAll(() => rmSync(directory, { recursive: true }))

const plugins = '/apis/plugin.platform.run/v1alpha1/plugins'
const administration = '/apis/console.api.platform.run/v1alpha1/plugins'
const todos = '/apis/todo.example.com/v1alpha1/todos'

/** The role that the user of the fixture holds; a version without it could not be installed. */
const role = `
apiVersion: v1alpha1
kind: Role
metadata: { name: todo-view, labels: { platform.run/role-template: "true" } }
rules: [{ apiGroups: [todo.example.com], resources: [todo/todos], verbs: [get, list, watch] }]
`

/** Signed in as the administrator of the fixture. */
async function opened(url: string) {
  const signingIn = await fetch(`${url}/auth/sessions`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password, transport: 'token' }),
  })
  const { token } = (await signingIn.json()) as { readonly token: string }
  const send = async (line: string, body?: object | Buffer) => {
    const [method = '', path = ''] = line.split(' ')
    const type = Buffer.isBuffer(body) ? 'application/gzip' : 'application/json'
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    const sent = Buffer.isBuffer(body) ? new Uint8Array(body) : body && JSON.stringify(body)
    const response = await fetch(url + path, { method, headers, ...(sent !== undefined && { body: sent }) })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const pluginIs = async (name: string, expected: object) =>
    vi.waitFor(async () => expect((await send(`GET ${plugins}/${name}`)).body).toMatchObject(expected), {
      timeout: 60_000,
      interval: 100,
    })
  return { send, pluginIs }
}

test('a database of the first schema opens, serves, upgrades its plugins and goes back', async () => {
  writeFileSync(join(directory, 'pergola.db'), gunzipSync(readFileSync(fixture)), { mode: 0o600 })
  const files = { key: sealingKey, 'pergola.yaml': 'secrets: { keys: [{ file: key }] }' }
  await using server = startPergola({ directory, files })
  const { send, pluginIs } = await opened(await server.url())
  for (const name of ['todo', 'notes']) await pluginIs(name, { status: { phase: 'Started' } })
  expect((await send('GET /api/v1alpha1/secrets/smtp')).body).toMatchObject({ data: { password: 'of smtp' } })
  const notes = await send(
    'GET /apis/notes.example.com/v1alpha1/notes?fieldSelector=spec.rank%3E89&sort=spec.rank,desc&size=5',
  )
  expect(notes.body).toMatchObject({ total: 10, items: [{ metadata: { name: 'note-99' } }, {}, {}, {}, {}] })
  expect((await send(`GET ${todos}`)).body).toMatchObject({ total: 4 })

  // The declared object belongs to the plugin from now on, and so do its models.
  const owner = { 'plugin.platform.run/owner': 'todo' }
  expect((await send(`GET ${todos}/welcome`)).body).toMatchObject({ metadata: { annotations: owner } })
  const [model] = todoDefinition.models
  if (!model) throw new Error('the definition has a model')
  const indexes = [...(model.indexes ?? []), { name: 'spec.title' }]
  const definition = { ...todoDefinition, models: [{ ...model, indexes }] }
  const upgrade = pluginPackage({ definition, version: '2.0.0', files: { 'extensions/role.yaml': role } })
  expect((await send(`POST ${administration}/-/packages`, upgrade)).status).toBe(200)
  await pluginIs('todo', { spec: { version: '2.0.0' }, status: { phase: 'Started', upgrade: { phase: 'Switched' } } })
  const byTitle = `${todos}?fieldSelector=spec.title%3Ddo%201`
  expect((await send(`GET ${byTitle}`)).body).toMatchObject({ total: 1 })
  await expect.poll(async () => (await send(`GET ${todos}/welcome`)).status).toBe(404)
  expect((await send(`POST ${administration}/todo/rollback`)).status).toBe(200)
  await pluginIs('todo', { spec: { version: '1.0.0' }, status: { phase: 'Started', upgrade: { phase: 'Switched' } } })
  expect((await send(`GET ${byTitle}`)).status).toBe(400)
  await expect.poll(async () => (await send(`GET ${todos}/welcome`)).status).toBe(200)
})
