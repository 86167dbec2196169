import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { assemble } from '../../packages/server/src/assemble.ts'
import type { Server } from '../../packages/server/src/server.ts'
import { loadConfig } from '../../packages/server/src/base/config.ts'
import { createLog } from '../../packages/server/src/base/log.ts'

/** What people do with their accounts, once through; every promise is held by the conformance tests. */
let server: Server
let url: string

beforeAll(async () => {
  server = await assemble({
    config: loadConfig({
      env: { PERGOLA_DATABASE_URL: 'sqlite::memory:', PERGOLA_SERVER_PORT: '0', PERGOLA_SERVER_STOP_DELAY: '0' },
    }),
    log: createLog({ level: 'error', pretty: false, write: () => {} }),
  })
  url = server.url
})
afterAll(() => server.close())

interface Sent {
  readonly token?: string
  readonly body?: object
}

async function send(line: string, { token, body }: Sent = {}) {
  const [method = '', path = ''] = line.split(' ')
  const response = await fetch(url + path, {
    method,
    headers: {
      origin: url,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, never> }
}

/** By the transport `token`. */
async function signedIn(person: { readonly username: string; readonly password: string }): Promise<string> {
  const { body } = await send('POST /auth/sessions', { body: { ...person, transport: 'token' } })
  return (body as unknown as { token: string }).token
}

const ann = { username: 'ann', password: 'correct horse battery' }

test('from the first setup to a token that reviews its own access', async () => {
  expect(await send('POST /auth/setup', { body: { ...ann, secret: server.setupSecret } })).toMatchObject({
    status: 201,
  })
  const wrong = await send('POST /auth/sessions', { body: { ...ann, password: 'wrong' } })
  expect(wrong.body).toMatchObject({ reason: 'Unauthenticated', detail: 'the user name or the password is wrong' })
  const token = await signedIn(ann)
  const change = { current: ann.password, new: 'another battery' }
  expect((await send('PUT /auth/password', { token, body: change })).status).toBe(200)

  const made = await send('POST /apis/uc.api.platform.run/v1alpha1/personalaccesstokens', {
    token,
    body: { description: 'x' },
  })
  const secret = (made.body as unknown as { token: string }).token
  expect(made.status).toBe(201)
  const listed = await send('GET /apis/uc.api.platform.run/v1alpha1/personalaccesstokens', { token: secret })
  expect(listed.body).toMatchObject({ items: [{ spec: { owner: 'ann', description: 'x' } }] })
  const requests = [{ verb: 'list', resource: 'users' }]
  const review = await send('POST /apis/api.platform.run/v1alpha1/accessreviews', { token: secret, body: { requests } })
  expect(review.body).toMatchObject({
    items: [{ allowed: true, by: { role: 'super-administrator', binding: 'first-administrator' } }],
  })
  const permissions = await send('GET /apis/api.platform.run/v1alpha1/users/-/permissions', { token: secret })
  expect(permissions.body).toMatchObject({
    roles: [{ name: 'anonymous' }, { name: 'authenticated' }, { name: 'super-administrator' }],
  })
  const who = await send('POST /apis/api.platform.run/v1alpha1/whocan', { token: secret, body: { requests } })
  expect(who.body).toMatchObject({ items: [{ roles: [{ name: 'super-administrator', bindings: 1 }] }] })

  const sessions = await send('GET /auth/sessions', { token })
  expect(sessions.body).toMatchObject({ items: [{ username: 'ann', current: true }] })
  expect((await send('DELETE /auth/sessions/-', { token })).status).toBe(200)
  expect((await send('GET /auth/sessions', { token })).status).toBe(401)
})

test('users come and go with what belongs to them', async () => {
  const token = await signedIn({ ...ann, password: 'another battery' })
  const users = '/api/v1alpha1/users'
  for (const name of ['ben', 'cora']) {
    expect((await send(`POST ${users}`, { token, body: { metadata: { name } } })).status).toBe(201)
  }
  const subjects = [{ name: 'ben' }, { name: 'cora' }]
  const binding = { metadata: { name: 'both' }, roleRef: { name: 'author' }, subjects }
  expect((await send('POST /api/v1alpha1/rolebindings', { token, body: binding })).status).toBe(201)
  expect((await send(`PUT ${users}/ben/password`, { token, body: { password: 'known to ben' } })).status).toBe(200)
  expect((await send(`DELETE ${users}/ben`, { token })).status).toBe(200)
  expect((await send('GET /api/v1alpha1/rolebindings/both', { token })).body).toMatchObject({
    subjects: [{ name: 'cora' }],
  })
  expect((await send(`POST ${users}`, { token, body: { metadata: { name: 'ben' } } })).status).toBe(409)
  expect((await send('DELETE /api/v1alpha1/roles/author', { token })).status).toBe(403)
})

test('a secret that was not used makes nobody once there is a super administrator', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-account-'))
  const env = {
    PERGOLA_DATABASE_URL: `sqlite:${join(directory, 'test.db')}`,
    PERGOLA_SERVER_PORT: '0',
    PERGOLA_SERVER_STOP_DELAY: '0',
  }
  const log = createLog({ level: 'error', pretty: false, write: () => {} })
  const first = await assemble({ config: loadConfig({ env }), log })
  await first.close()
  const second = await assemble({ config: loadConfig({ env }), administrator: ann, log })
  try {
    const response = await fetch(`${second.url}/auth/setup`, {
      method: 'POST',
      headers: { origin: second.url, 'content-type': 'application/json' },
      body: JSON.stringify({ secret: first.setupSecret, username: 'late', password: ann.password }),
    })
    expect(await response.json()).toMatchObject({ reason: 'Unauthenticated' })
  } finally {
    await second.close()
    rmSync(directory, { recursive: true })
  }
})
