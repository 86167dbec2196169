import { expect, test } from 'vitest'
import { cookieOf, core, login, person } from './people.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine, type Api } from './server.ts'

const roles = `${core}/roles`

/** The client address that the server records at a login. */
async function addressOf(api: Api, headers: Record<string, string>): Promise<string> {
  const { name } = await person(api, { hasPassword: true })
  const answer = await login(api, { username: name, transport: 'token' }, headers)
  expectStatus(answer, 201)
  return (answer.body as { address: string }).address
}

onEachEngine(
  (api) => {
    const cases: readonly (readonly [what: string, forwardedFor: string, address: string])[] = [
      ['the address that the proxy names', '198.51.100.1', '198.51.100.1'],
      ['not an address that the client sends', '6.6.6.6, 198.51.100.2', '198.51.100.2'],
      ['the address before a second trusted proxy', '6.6.6.6, 198.51.100.3, 10.9.8.7', '198.51.100.3'],
      ['an IPv4-mapped IPv6 address as IPv4', '6.6.6.6, ::ffff:198.51.100.4, ::ffff:10.9.8.7', '198.51.100.4'],
      ['an IPv6 address', '2001:DB8::5, fd00::7', '2001:db8::5'],
    ]
    for (const [what, forwardedFor, address] of cases) {
      test(`C7-75 behind trusted proxies the client is ${what}`, async () => {
        expect(await addressOf(api, { 'x-forwarded-for': forwardedFor })).toBe(address)
      })
    }

    test('C7-75 login limits count by the client behind the proxies', async () => {
      const { name } = await person(api, { hasPassword: true })
      const from = (forwardedFor: string, password?: string) =>
        login(api, { username: name, ...(password !== undefined && { password }) }, { 'x-forwarded-for': forwardedFor })
      for (let tries = 0; tries < 5; tries++) await from(`203.0.113.${tries}, 198.51.100.9`, 'wrong')
      expectProblem(await from('203.0.113.77, 198.51.100.9'), 429, 'TooManyRequests')
      expectStatus(await from('198.51.100.9, 198.51.100.10'), 201)
    })

    test('C7-114 failed logins of others do not lock out a user who has signed in from the address', async () => {
      const ann = await person(api, { hasPassword: true })
      const headers = { 'x-forwarded-for': '198.51.100.77' }
      expectStatus(await login(api, { username: ann.name }, headers), 201)
      const fill = async () => {
        for (let tries = 0; tries < 200; tries++) {
          const { status } = await login(api, { username: `nobody-${tries}`, password: 'wrong' }, headers)
          if (status === 429) return
        }
      }
      /** The counters decay over time: on a slow machine another login may still pass, so this retries. */
      const refused = async () => {
        for (let rounds = 0; rounds < 20; rounds++) {
          const { name } = await person(api, { hasPassword: true })
          await fill()
          const answer = await login(api, { username: name }, headers)
          if (answer.status === 429) return answer
        }
        return expect.fail('others were never refused')
      }
      const others = await refused()
      expectProblem(others, 429, 'TooManyRequests')
      expect(Number(others.headers['retry-after'])).toBeGreaterThan(0)
      expectStatus(await login(api, { username: ann.name }, headers), 201)
    })

    test('C7-76 Forwarded is ignored, even from a trusted proxy', async () => {
      expect(await addressOf(api, { forwarded: 'for=198.51.100.1' })).toBe('127.0.0.1')
    })

    test('C7-77 a forwarded scheme that contradicts the public URL is logged once', async () => {
      const host = 'pergola.example.com'
      const seen = () => linesOf(api, 'server.publicUrl')
      const ask = (path: string, headers: Record<string, string>) => api.request('GET', path, { headers })
      const right = { 'x-forwarded-host': host, 'x-forwarded-proto': 'https' }
      // The previous tests used the listening address, which logged the line once; a restart resets that.
      await api.restart()
      const before = seen().length
      await ask('/livez', { ...right, 'x-forwarded-proto': 'http' })
      await ask('/apis', right)
      expect(seen()).toHaveLength(before)
      for (const scheme of ['http', 'http', 'gopher']) await ask('/apis', { ...right, 'x-forwarded-proto': scheme })
      expect(seen().slice(before)).toMatchObject([{ level: 'warn', scheme: 'http', publicUrl: `https://${host}` }])
    })
  },
  {
    keepsLog: true,
    env: {
      PERGOLA_HTTP_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8, fd00::/8',
      PERGOLA_SERVER_PUBLIC_URL: 'https://pergola.example.com',
    },
  },
)

function linesOf(api: Api, setting: string): readonly Record<string, unknown>[] {
  const lines = api.logged().split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['setting'] === setting)
}

onEachEngine(
  (api) => {
    test('C7-77 a host that contradicts the public URL is logged once, with the setting to change', async () => {
      const seen = () => linesOf(api, 'server.publicUrl')
      const ask = (path: string, host: string) => api.request('GET', path, { headers: { host } })
      await ask('/livez', 'inner.example')
      await ask('/readyz?verbose', 'inner.example')
      await ask('/apis', 'pergola.example.com')
      expect(seen()).toEqual([])
      for (const host of ['inner.example', 'inner.example', 'other.example']) await ask('/apis', host)
      expect(seen()).toMatchObject([
        { level: 'warn', host: 'inner.example', msg: expect.stringContaining('server.publicUrl') as string },
      ])
    })

    test('C7-76 X-Forwarded-* from an untrusted address is ignored', async () => {
      const forged = {
        'x-forwarded-for': '198.51.100.1',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'evil.example',
      }
      expect(await addressOf(api, { ...forged, forwarded: 'for=198.51.100.1', 'x-real-ip': '198.51.100.1' })).toBe(
        '127.0.0.1',
      )
      const { name } = await person(api, { hasPassword: true })
      for (let tries = 0; tries < 5; tries++) {
        await login(api, { username: name, password: 'wrong' }, { 'x-forwarded-for': `203.0.113.${tries}` })
      }
      expectProblem(await login(api, { username: name }, { 'x-forwarded-for': '203.0.113.9' }), 429, 'TooManyRequests')
      expect(linesOf(api, 'http.trustedProxies')).toHaveLength(1)
    })
  },
  {
    keepsLog: true,
    env: { PERGOLA_SERVER_PUBLIC_URL: 'http://pergola.example.com', PERGOLA_SERVER_ALLOW_INSECURE_LOGIN: 'true' },
  },
)

onEachEngine(
  (api) => {
    const siblings = [
      'https://evil.pergola.example.com',
      'https://example.com',
      'https://other.example.com',
      'https://pergola.example.com:8443',
      'http://pergola.example.com',
      'https://pergola.example.com.evil.example',
      'https://pergola.example.com/',
      'null',
    ]
    for (const origin of siblings) {
      test(`C7-79 ${origin} is not the server's own origin, even with a valid cookie`, async () => {
        const { name } = await person(api, { hasPassword: true, roles: ['super-administrator'] })
        const cookie = await cookieOf(api, name)
        expect(cookie).toMatch(/^__Host-/)
        const body = { metadata: { generateName: 'sibling-' }, rules: [] }
        const post = (headers: Record<string, string>) =>
          api.request('POST', roles, { as: 'anonymous', headers: { cookie, ...headers }, body })
        expectProblem(await post({ origin }), 403, 'CrossSite')
        expectProblem(await post({ origin, 'sec-fetch-site': 'same-site' }), 403, 'CrossSite')
        expectProblem(await login(api, { username: name }, { origin }), 403, 'CrossSite')
        expectStatus(await post({ origin: 'https://pergola.example.com' }), 201)
      })
    }
  },
  { env: { PERGOLA_SERVER_PUBLIC_URL: 'https://pergola.example.com' } },
)
