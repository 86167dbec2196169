import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { assemble } from '../../packages/server/src/assembly/assemble.ts'
import { systemClock } from '../../packages/server/src/base/clock.ts'
import { loadConfig } from '../../packages/server/src/config/config.ts'
import { createLog } from '../../packages/server/src/base/log.ts'
import { createSignInCode } from '../../packages/server/src/credentials/sign-in-code.ts'
import { develop } from '../../packages/server/src/develop.ts'
import { sendRaw } from './attack.ts'

/** A host as `pergola dev` starts it. */
async function startHost({ signInAs }: { readonly signInAs?: string } = {}) {
  let spent = 0
  let log = ''
  const host = await develop({
    database: ':memory:',
    port: 0,
    sealingKey: randomBytes(32).toString('base64'),
    administrator: 'admin',
    ...(signInAs !== undefined && { signInAs }),
    onSpentLink: () => spent++,
    onPluginLine: () => {},
    onPluginState: () => {},
    isInspected: () => false,
    log: (line) => (log += line),
  })
  return Object.assign(host, { spent: () => spent, log: () => log })
}

const codeIn = (link: string) => new URL(link).hash.slice(1)

/** Sends the form of the page that a link opens. */
function exchange(url: string, code: string, headers: Readonly<Record<string, string>> = { origin: url }) {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  return sendRaw(url, { method: 'POST', target: '/auth/login', headers: { ...form, ...headers }, body: `code=${code}` })
}

// Links do not depend on the database engine.
describe('SQLite', () => {
  test('a link signs the super administrator in, once, even when it is used twice at the same moment', async () => {
    await using host = await startHost()
    const { url } = host
    const link = host.signInLink()
    expect(link).toMatch(new RegExp(`^${url}/auth/login#[0-9a-f]{32}$`))
    const both = await Promise.all([exchange(url, codeIn(link)), exchange(url, codeIn(link))])
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([303, 401]))
    const good = both.find(({ status }) => status === 303)
    expect(good?.headers.location).toBe('/console')
    const [cookie = ''] = good?.headers['set-cookie'] ?? []
    expect(cookie).toMatch(/^pergola-session=pgs_.*; HttpOnly; SameSite=Lax/)
    const headers = { cookie: cookie.split(';', 1)[0] ?? '' }
    const target = '/apis/api.platform.run/v1alpha1/users/-/permissions'
    const permissions = await sendRaw(url, { method: 'GET', target, headers })
    const { username, roles } = JSON.parse(permissions.text) as { username: string; roles: readonly { name: string }[] }
    expect([username, roles.map(({ name }) => name)]).toEqual([
      'admin',
      expect.arrayContaining(['super-administrator']),
    ])

    const replayed = await exchange(url, codeIn(link))
    expect([replayed.status, replayed.headers['set-cookie']]).toEqual([401, undefined])
    expect(replayed.text).toContain('open the newest link that pergola dev has printed')
    expect(host.spent()).toBe(2)
    expect((await exchange(url, codeIn(host.signInLink()))).status).toBe(303)
    expect(host.log()).not.toContain(codeIn(link))
  })

  test('a link for another user signs in that user alone, once', async () => {
    await using host = await startHost({ signInAs: 'ann' })
    const { url } = host
    // Nobody is signed in, and nobody else, while there is no such user.
    expect((await exchange(url, codeIn(host.signInLink()))).status).toBe(401)
    const authorization = `Bearer ${await host.signIn('admin')}`
    const body = JSON.stringify({ metadata: { name: 'ann' } })
    const headers = { authorization, 'content-type': 'application/json' }
    const created = await sendRaw(url, { method: 'POST', target: '/api/v1alpha1/users', headers, body })
    expect(created.status).toBe(201)
    const code = codeIn(host.signInLink())
    const good = await exchange(url, code)
    const [cookie = ''] = good.headers['set-cookie'] ?? []
    const target = '/apis/api.platform.run/v1alpha1/users/-/permissions'
    const permissions = await sendRaw(url, {
      method: 'GET',
      target,
      headers: { cookie: cookie.split(';', 1)[0] ?? '' },
    })
    const { username, roles } = JSON.parse(permissions.text) as { username: string; roles: readonly { name: string }[] }
    expect([username, roles.some(({ name }) => name === 'super-administrator')]).toEqual(['ann', false])
    expect((await exchange(url, code)).status).toBe(401)
  })

  const attacks: readonly (readonly [
    what: string,
    headers: (url: string) => Record<string, string>,
    reason: string,
  ])[] = [
    ['another site', () => ({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }), 'CrossSite'],
    ['another port', () => ({ origin: 'http://127.0.0.1:1' }), 'CrossSite'],
    ['a page without an origin', () => ({}), 'CrossSite'],
    ['a sandboxed page', () => ({ origin: 'null' }), 'CrossSite'],
    ['a name that resolves to this machine', (url) => ({ host: 'evil.example', origin: url }), 'work only on the'],
    [
      'a name that resolves to this machine, marked as same-origin',
      () => ({ host: 'evil.example:80', origin: 'http://evil.example:80', 'sec-fetch-site': 'same-origin' }),
      'work only on the',
    ],
    [
      'a name that begins like this machine',
      () => ({ host: '127.0.0.1.evil.example', 'sec-fetch-site': 'same-origin' }),
      'work only on the',
    ],
  ]
  test.each(attacks)('the right code from %s is refused, and stays valid', async (_, headers, reason) => {
    await using host = await startHost()
    const code = codeIn(host.signInLink())
    const refused = await exchange(host.url, code, headers(host.url))
    expect([refused.status, refused.headers['set-cookie']]).toEqual([403, undefined])
    expect(refused.text).toContain(reason)
    expect((await exchange(host.url, code)).status).toBe(303)
  })

  test('the right code from another machine is refused', async () => {
    const signInCode = createSignInCode({ user: 'admin', clock: systemClock, onSpent: () => {} })
    const server = await assemble({
      config: loadConfig({
        env: {
          PERGOLA_DATABASE_URL: 'sqlite::memory:',
          PERGOLA_SERVER_PORT: '0',
          PERGOLA_SERVER_STOP_DELAY: '0',
          PERGOLA_HTTP_TRUSTED_PROXIES: '127.0.0.1',
        },
      }),
      administrator: { username: 'admin', password: 'correct horse battery' },
      signInCode,
      log: createLog({ level: 'error', pretty: false, write: () => {} }),
    })
    await using _ending = { [Symbol.asyncDispose]: async () => void (await server.close()) }
    const code = signInCode.make()
    const from = (address: string) => exchange(server.url, code, { origin: server.url, 'x-forwarded-for': address })
    for (const address of ['192.0.2.7', '10.0.0.1', '2001:db8::1', '::ffff:192.0.2.7', '128.0.0.1']) {
      const refused = await from(address)
      expect([refused.status, refused.headers['set-cookie']]).toEqual([403, undefined])
    }
    expect((await from('::1')).status).toBe(303)
  })

  test('a code in the address or in JSON signs nobody in', async () => {
    await using host = await startHost()
    const { url } = host
    const code = codeIn(host.signInLink())
    const headers = { origin: url, accept: 'text/html' }
    const tries = [
      { method: 'GET', target: `/auth/login?code=${code}`, headers },
      { method: 'POST', target: `/auth/login?code=${code}`, headers },
      { method: 'POST', target: '/auth/login', headers, body: JSON.stringify({ code }) },
      { method: 'POST', target: '/auth/sessions', headers, body: JSON.stringify({ code }) },
    ]
    for (const request of tries) {
      const { status, headers: answered } = await sendRaw(url, request)
      expect([status >= 400, answered['set-cookie']]).toEqual([true, undefined])
    }
    expect((await exchange(url, code)).status).toBe(303)
  })

  test('after five wrong codes the right one has to wait, like a login', async () => {
    await using host = await startHost()
    const code = codeIn(host.signInLink())
    const guesses = ['', code.slice(1), `${code}0`, '0'.repeat(32), encodeURIComponent(`${code}\u0000`)]
    for (const guessed of guesses) expect((await exchange(host.url, guessed)).status).toBe(401)
    const limited = await exchange(host.url, code)
    expect([limited.status, limited.headers['set-cookie']]).toEqual([429, undefined])
    expect(limited.headers['retry-after']).toMatch(/^\d+$/)
    // While the last link is valid, requests cannot make the host print new ones.
    expect(host.spent()).toBe(0)
  })
})
