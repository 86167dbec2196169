import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assemble } from '../../packages/server/src/assembly/assemble.ts'
import type { Server } from '../../packages/server/src/server.ts'
import { loadConfig } from '../../packages/server/src/config/config.ts'
import { createLog } from '../../packages/server/src/base/log.ts'
import { sealingKey } from '../../packages/server/src/config/sealing-keys.ts'
import { expectStatus, send, type Answer, type RequestOptions } from '../conformance/request.ts'
import { chosenEngines, openDatabase, type Database } from '../conformance/server.ts'
import { dumpDatabase, type DumpedValue } from './dump.ts'
import { findTraces, tracesOf, tracesOfHash } from './secrets.ts'

/** The administrator's token, set after the setup. */
let administrator = ''
const passwords = {
  first: 'first Secret of Ann 8261',
  second: 'second Secret of Ann 5177',
  ofBen: 'given Secret of Ben 3390',
  mistyped: 'mistyped Secret of Ann 1102',
  short: 'sh0rt!7',
}
/** Values of secret objects. They are sealed, so none may appear in the database or the log. */
const sealed = {
  ofMail: 'sealed Secret of the mail 4471',
  later: 'sealed Secret that came later 9902',
  patched: 'sealed Secret by a patch 6153',
  refused: 'sealed Secret that was refused 7720',
}
const key = randomBytes(32).toString('base64')
const tokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
const core = '/api/v1alpha1'

interface Used {
  readonly secrets: Readonly<Record<string, string>>
  /** All responses except those that show a secret once. */
  readonly answers: readonly DumpedValue[]
}

for (const engine of chosenEngines) {
  describe(engine, () => {
    let database: Database
    let server: Server
    let log = ''
    beforeAll(async () => {
      database = await openDatabase(engine)
      server = await assemble({
        config: loadConfig({
          env: {
            PERGOLA_DATABASE_URL: database.url,
            PERGOLA_SERVER_PORT: '0',
            PERGOLA_SERVER_STOP_DELAY: '0',
            PERGOLA_SERVER_DRAIN_TIMEOUT: '0',
          },
        }),
        keys: [sealingKey(key)],
        log: createLog({ level: 'debug', pretty: false, write: (text) => (log += text) }),
      })
    })
    afterAll(async () => {
      await server.close()
      await database[Symbol.asyncDispose]()
    })

    describe('secrets at rest', () => {
      test('no object, index, change or log line contains a secret, its digest or its hash', async () => {
        const used = await useEverything(server)
        const dumped = await dumpDatabase(database.url)
        expect(dumped.credentials.tables).toBeGreaterThanOrEqual(8)
        expect(dumped.credentials.rows).toBeGreaterThan(3)
        expect(dumped.others.filter(({ where }) => /^changes.*\.data$/.test(where)).length).toBeGreaterThan(5)
        expect(dumped.passwordHashes.length).toBeGreaterThanOrEqual(2)
        expect(log).toContain('/auth/sessions')
        const traces = [
          ...Object.entries(used.secrets).flatMap(([what, secret]) => tracesOf(what, secret)),
          ...dumped.passwordHashes.flatMap(tracesOfHash),
        ]
        const lines = log.split('\n').map((line) => ({ where: 'the log', bytes: Buffer.from(line) }))
        expect(findTraces(traces, [...dumped.others, ...lines, ...used.answers])).toEqual([])
      })

      test('the search finds a digest and a hash that an object contains', async () => {
        const secret = 'pgl_on-purpose-on-purpose-on-purpose-123456'
        const { passwordHashes } = await dumpDatabase(database.url)
        const digest = createHash('sha256').update(secret).digest()
        const [hash = ''] = passwordHashes
        const annotations = {
          'a.example/hex': digest.toString('hex'),
          'a.example/base64': digest.toString('base64'),
          'a.example/hash': hash,
        }
        const body = { metadata: { name: 'leaky', annotations }, rules: [] }
        expectStatus(await request(server, 'POST', `${core}/roles`, { body }), 201)
        const { others } = await dumpDatabase(database.url)
        const found = findTraces([...tracesOf('the token', secret), ...tracesOfHash(hash)], others)
        expect(found.some((line) => /^the digest of the token in m_\d+\.data$/.test(line))).toBe(true)
        expect(found.some((line) => /^a password hash in changes\w*\.data$/.test(line))).toBe(true)
        expect(found.some((line) => line.startsWith('the tag of a password in '))).toBe(true)
      })
    })
  })
}

function request({ url }: Server, method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
  return send(url, administrator, { method, path, ...options })
}

/** Creates, updates, lists and deletes secret objects. Does not get one by name, because that response contains the data. */
async function sealEverything(
  ask: (method: string, path: string, options: RequestOptions, status: number) => Promise<Answer>,
): Promise<void> {
  const secrets = `${core}/secrets`
  const data = { password: sealed.ofMail }
  await ask('POST', secrets, { body: { metadata: { name: 'mail' }, data } }, 201)
  await ask('POST', secrets, { body: { metadata: { name: 'mail' }, data } }, 409)
  await ask('POST', secrets, { body: { metadata: { name: 'gone' }, data } }, 201)
  await ask('DELETE', `${secrets}/gone`, {}, 200)
  await ask('POST', secrets, { body: { metadata: { name: 'no' }, data: { 'no name': sealed.refused } } }, 422)
  await ask('PUT', `${secrets}/mail`, { body: { data: { ...data, other: sealed.later } } }, 200)
  const headers = { 'content-type': 'application/merge-patch+json' }
  await ask('PATCH', `${secrets}/mail`, { headers, body: { data: { third: sealed.patched } } }, 200)
  await ask('GET', secrets, {}, 200)
}

/** Signs in, changes passwords, creates tokens and mistypes; sends each secret in the right and in wrong places. */
async function useEverything(server: Server): Promise<Used> {
  const answers: DumpedValue[] = []
  const own = { origin: server.url }
  const ask = async (method: string, path: string, options: RequestOptions, status: number) => {
    const answer = await request(server, method, path, options)
    expectStatus(answer, status)
    const shows = (answer.body as { token?: string } | undefined)?.token !== undefined
    const text = JSON.stringify(answer.headers['set-cookie'] ?? '') === '""' && !shows ? answer.text : ''
    answers.push({ where: `the answer to ${method} ${path.split('?')[0]}`, bytes: Buffer.from(text) })
    return answer
  }
  const visit = (path: string, body: object, status: number) =>
    ask('POST', path, { as: 'anonymous', headers: own, body }, status)
  const setup = String(server.setupSecret)
  const ann = { username: 'ann', password: passwords.first }
  await visit('/auth/setup', { ...ann, secret: setup, password: passwords.short }, 422)
  await visit('/auth/setup', { ...ann, secret: setup }, 201)
  await visit('/auth/sessions', { ...ann, password: passwords.mistyped }, 401)
  await visit('/auth/sessions', { ...ann, extra: passwords.mistyped }, 422)
  const signedIn = await visit('/auth/sessions', { ...ann, transport: 'token' }, 201)
  const { token: session } = signedIn.body as { token: string }
  administrator = session
  const browser = await visit('/auth/sessions', ann, 201)
  const cookie = String(browser.headers['set-cookie']?.[0]).split(';')[0] ?? ''
  const made = await ask('POST', tokens, { token: session, body: { description: 'for a script' } }, 201)
  const { token } = made.body as { token: string }

  await ask('GET', '/apis', { as: 'anonymous', headers: { cookie } }, 200)
  await ask('GET', tokens, { token }, 200)
  await ask('GET', '/auth/sessions', { token: session }, 200)
  await ask('GET', '/apis/security.platform.run/v1alpha1/personalaccesstokens', {}, 200)
  await ask('POST', `${core}/users`, { body: { metadata: { name: 'ben' } } }, 201)
  await ask('PUT', `${core}/users/ben/password`, { body: { password: passwords.short } }, 422)
  await ask('PUT', `${core}/users/ben/password`, { body: { password: passwords.ofBen } }, 200)
  await ask('GET', `${core}/users`, {}, 200)
  const change = { current: passwords.first, new: passwords.second, keepTokens: true }
  await ask('PUT', '/auth/password', { token: session, headers: own, body: { ...change, new: passwords.short } }, 422)
  await ask('PUT', '/auth/password', { token: session, headers: own, body: change }, 200)
  await sealEverything(ask)
  // Secrets in the wrong places.
  for (const secret of [session, token, setup]) {
    const encoded = encodeURIComponent(secret)
    await request(server, 'GET', `/apis?token=${encoded}`, { as: 'anonymous' })
    await request(server, 'GET', `/apis?access_token=${encoded}&size=1`, { token })
    await request(server, 'GET', '/apis', { as: 'anonymous', headers: { authorization: `Basic ${secret}` } })
  }
  for (const secret of [session, token, setup]) await request(server, 'GET', `/sessions/${secret}`)
  return {
    secrets: { ...passwords, ...sealed, key, setup, session, cookie: cookie.split('=')[1] ?? '', token },
    answers,
  }
}
