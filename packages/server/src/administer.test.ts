import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { openAdministration, type Administration } from './administer.ts'
import { assemble } from './assembly/assemble.ts'
import type { Server } from './server.ts'
import { loadConfig } from './config/config.ts'
import { createLog } from './base/log.ts'

const ann = { username: 'ann', password: 'correct horse battery' }
const directory = mkdtempSync(join(tmpdir(), 'pergola-administer-'))
afterAll(() => rmSync(directory, { recursive: true }))

let files = 0
let printed = ''
let config = loadConfig({ env: {} })
beforeEach(() => {
  printed = ''
  const url = `sqlite:${join(directory, `${++files}.db`)}`
  config = loadConfig({
    env: { PERGOLA_DATABASE_URL: url, PERGOLA_SERVER_PORT: '0', PERGOLA_SERVER_STOP_DELAY: '0' },
  })
})

const log = createLog({ level: 'info', pretty: false, write: (text) => (printed += text) })
const stderr = (text: string) => void (printed += text)
const open = () => openAdministration({ config, log, operator: 'root@here', stderr })

/** A SQLite file has one user at a time: a server or an administration. */
async function whileServing(work: (server: Server) => Promise<void>): Promise<void> {
  const server = await assemble({ config, administrator: ann, log })
  try {
    await work(server)
  } finally {
    await server.close()
  }
}

async function administered(work: (administration: Administration) => Promise<void>): Promise<void> {
  await using administration = await open()
  await work(administration)
}

/** Signs in as the administrator; returns a function that sends requests. */
async function signIn({ url }: Server): Promise<(line: string, body: object) => Promise<number>> {
  const ask = (line: string, body: object, headers: Readonly<Record<string, string>>) => {
    const [method = '', path = ''] = line.split(' ')
    const all = { 'content-type': 'application/json', ...headers }
    return fetch(url + path, { method, headers: all, body: JSON.stringify(body) })
  }
  const answer = await ask('POST /auth/sessions', { ...ann, transport: 'token' }, { origin: url })
  const { token } = (await answer.json()) as { token: string }
  return async (line, body) => (await ask(line, body, { authorization: `Bearer ${token}` })).status
}

test('an unused database has no administrators, and a setup secret can be created', async () => {
  await administered(async (administration) => {
    expect(await administration.administrators()).toEqual([])
    const before = Date.now()
    const { url, secret, expiresAt } = await administration.renewSetup()
    expect(url).toBe('http://127.0.0.1:0/auth/setup')
    expect(secret).toMatch(/^pgi_[\w-]{43}$/)
    expect(expiresAt.getTime()).toBeGreaterThanOrEqual(before + 3_600_000)
    expect(printed).toContain('"user":"root@here","event":"setup-renew","how":"command"')
    expect(printed).not.toContain(secret)
  })
})

test('administrators are listed with their state; a setup secret is refused while one exists', async () => {
  await whileServing(async (server) => {
    const send = await signIn(server)
    expect(await send('POST /api/v1alpha1/users', { metadata: { name: 'ben' } })).toBe(201)
    const binding = {
      metadata: { name: 'also' },
      roleRef: { name: 'super-administrator' },
      subjects: [{ name: 'ben' }],
    }
    expect(await send('POST /api/v1alpha1/rolebindings', binding)).toBe(201)
    expect(await send('PUT /api/v1alpha1/users/ben', { spec: { disabled: true } })).toBe(200)
  })
  await administered(async (administration) => {
    expect(await administration.administrators()).toEqual([
      { name: 'ann', canSignIn: true, hasPassword: true, bindings: ['first-administrator'], sessions: 1 },
      { name: 'ben', canSignIn: false, hasPassword: false, bindings: ['also'], sessions: 0 },
    ])
    await expect(administration.renewSetup()).rejects.toThrow(/to help ann back in: pergola admin reset-password ann/)
    expect(await administration.resetPassword('ben', 'correct horse')).toEqual({ canSignIn: false, tokens: 0 })
    await expect(administration.createToken('ben', {})).rejects.toThrow(/user "ben" is disabled/)
    await expect(administration.resetPassword('ben', 'short')).rejects.toThrow(/must have 8 to 1024 characters/)
    await expect(administration.resetPassword('nobody', 'correct horse')).rejects.toThrow(/there is no user "nobody"/)
  })
})

test('a token is created under the limits of the API, and works', async () => {
  await whileServing(async () => {})
  let secret = ''
  await administered(async (administration) => {
    const made = await administration.createToken('ann', { name: 'rescue', expiresAt: new Date(Date.now() + 60_000) })
    expect(made.name).toBe('rescue')
    ;({ secret } = made)
    await expect(administration.createToken('ann', { name: 'Not A Name' })).rejects.toThrow(/metadata.name/)
    for (let count = 1; count < 100; count++) await administration.createToken('ann', {})
    await expect(administration.createToken('ann', {})).rejects.toThrow(/has 100 tokens; delete one first/)
  })
  expect(printed).toContain('"event":"token-create","account":"ann","name":"rescue"')
  expect(printed).not.toContain(secret)
  await whileServing(async ({ url }) => {
    const answer = await fetch(`${url}/api/v1alpha1/users`, { headers: { authorization: `Bearer ${secret}` } })
    expect(answer.status).toBe(200)
  })
})
