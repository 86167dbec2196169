import { describe, expect, test } from 'vitest'
import { core, login, person, expectSoon } from './people.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

onEachEngine((api) => {
  const own = () => ({ origin: api.origin() })
  const cookieOf = async (username: string) => {
    const answer = await login(api, { username })
    expectStatus(answer, 201)
    return String(answer.headers['set-cookie']?.[0])
  }

  test('C7-20 a login with transport token returns the token once, with an expiry in 12 hours', async () => {
    const { name } = await person(api, { hasPassword: true })
    const before = Date.now()
    const answer = await login(api, { username: name, transport: 'token' })
    const after = Date.now()
    expectStatus(answer, 201)
    const { token, expiresAt } = answer.body as { token: string; expiresAt: string }
    expect(token).toMatch(/^pgs_[\w-]{43}$/)
    const hours = 3_600_000
    expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + 12 * hours - 1_000)
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(after + 12 * hours + 1_000)
    expect(answer.headers['set-cookie']).toBeUndefined()
    const sessions = await api.request('GET', '/auth/sessions', { token })
    expectStatus(sessions, 200)
    expect(sessions.text).not.toContain(token)
  })

  test('C7-21 a login sets a cookie that is HttpOnly and SameSite=Lax', async () => {
    const { name } = await person(api, { hasPassword: true })
    const cookie = await cookieOf(name)
    expect(cookie).toMatch(/^pergola-session=pgs_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/)
    const headers = { cookie: cookie.split(';')[0] ?? '' }
    expectStatus(await api.request('GET', '/apis', { as: 'anonymous', headers }), 200)
  })

  test('C7-401 the cookie of a session lasts 30 days, so that a session in use outlives 12 hours', async () => {
    const { name } = await person(api, { hasPassword: true })
    expect(await cookieOf(name)).toMatch(/; Max-Age=2592000$/)
  })

  test('C7-22 C7-116 an ended session is 401 and its cookie is cleared', async () => {
    const { name } = await person(api, { hasPassword: true })
    const cookie = (await cookieOf(name)).split(';')[0] ?? ''
    const headers = { cookie, ...own() }
    expectStatus(await api.request('DELETE', '/auth/sessions/-', { as: 'anonymous', headers }), 200)
    const answer = await api.request('GET', '/readyz?verbose', { as: 'anonymous', headers: { cookie } })
    expectProblem(answer, 401, 'Unauthenticated')
    expect(String(answer.headers['set-cookie'])).toMatch(/^pergola-session=; .*Max-Age=0$/)
  })

  test('C7-23 a user lists and ends its own sessions one by one, on every replica', async () => {
    const ann = await person(api, { hasPassword: true })
    await login(api, { username: ann.name })
    const { body } = await ann.request('GET', '/auth/sessions')
    const { items } = body as { items: { id: string; current: boolean; transport: string }[] }
    expect(items.map(({ transport, current }) => [transport, current])).toEqual([
      ['cookie', false],
      ['token', true],
    ])
    const there = await api.replica()
    expectStatus(await there.request('GET', '/apis', { token: ann.token }), 200)
    const mine = items.find(({ current }) => current)
    expectStatus(await ann.request('DELETE', `/auth/sessions/${mine?.id}`, { headers: own() }), 200)
    await expectSoon(async () => expectStatus(await there.request('GET', '/apis', { token: ann.token }), 401))
    const ben = await person(api, { hasPassword: true })
    expectProblem(await ben.request('DELETE', `/auth/sessions/${items[0]?.id}`, { headers: own() }), 404, 'NotFound')
  })

  test("C7-24 changing one's own password ends all other sessions", async () => {
    const ann = await person(api, { hasPassword: true })
    const other = await login(api, { username: ann.name, transport: 'token' })
    const { token } = other.body as { token: string }
    const change = (current: string) =>
      ann.request('PUT', '/auth/password', { body: { current, new: 'quite another one' }, headers: own() })
    expectProblem(await change('not the password'), 403, 'Forbidden')
    expectStatus(await change('correct horse battery'), 200)
    await expectSoon(async () => expectStatus(await api.request('GET', '/apis', { token }), 401))
    expectStatus(await ann.request('GET', '/apis'), 200)
    expectProblem(await login(api, { username: ann.name }), 401, 'Unauthenticated')
    expectStatus(await login(api, { username: ann.name, password: 'quite another one' }), 201)
  })

  test('C7-109 a new password ends the tokens too, unless keepTokens is set', async () => {
    const tokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
    const ann = await person(api, { hasPassword: true })
    const make = async (token: string) => {
      const answer = await api.request('POST', tokens, { token, body: {} })
      expectStatus(answer, 201)
      return (answer.body as { token: string }).token
    }
    const change = (current: string, next: string, more: object) =>
      ann.request('PUT', '/auth/password', { body: { current, new: next, ...more }, headers: own() })
    const kept = await make(ann.token)
    expectStatus(await change('correct horse battery', 'the second of them', { keepTokens: true }), 200)
    expectStatus(await api.request('GET', tokens, { token: kept }), 200)
    expectStatus(await change('the second of them', 'the third of them', {}), 200)
    expectStatus(await api.request('GET', tokens, { token: kept }), 401)
    expect((await ann.request('GET', tokens)).body).toEqual({ items: [] })

    const path = `${core}/users/${ann.name}/password`
    const again = await make(ann.token)
    expectStatus(await api.request('PUT', path, { body: { password: 'the fourth of them', keepTokens: true } }), 200)
    expectStatus(await api.request('GET', tokens, { token: again }), 200)
    expectStatus(await api.request('PUT', path, { body: { password: 'the fifth of them' } }), 200)
    expectStatus(await api.request('GET', tokens, { token: again }), 401)
  })

  test('C7-112 a user has at most 50 sessions; the oldest ends', async () => {
    const { name, token: oldest } = await person(api, { hasPassword: true })
    const tokens: string[] = []
    for (let count = 0; count < 50; count++) {
      const answer = await login(api, { username: name, transport: 'token' })
      expectStatus(answer, 201)
      tokens.push((answer.body as { token: string }).token)
    }
    await expectSoon(async () => expectStatus(await api.request('GET', '/apis', { token: oldest }), 401))
    for (const token of [tokens[0], tokens.at(-1)]) {
      const { body } = await api.request('GET', '/auth/sessions', { token: token ?? '' })
      expect((body as { items: unknown[] }).items).toHaveLength(50)
    }
  })

  describe('weak passwords', () => {
    const cases = {
      'seven characters': 'seven77',
      '1,025 characters': 'ab'.repeat(513),
      'one character repeated': 'aaaaaaaaaa',
      'a common password': 'Password1',
    }
    for (const [what, password] of Object.entries(cases)) {
      test(`C7-113 a weak password is rejected: ${what}`, async () => {
        const ann = await person(api, { hasPassword: true })
        const body = { current: 'correct horse battery', new: password }
        expectProblem(await ann.request('PUT', '/auth/password', { body, headers: own() }), 422, 'Invalid')
        const set = await api.request('PUT', `${core}/users/${ann.name}/password`, { body: { password } })
        expectProblem(set, 422, 'Invalid')
        expect((set.body as { errors: readonly { pointer: string }[] }).errors[0]?.pointer).toBe('/password')
      })
    }
    test("C7-113 the user's own name as password is rejected; 1,024 characters are accepted", async () => {
      const { name } = await person(api, { hasPassword: true })
      const body = { password: name.toUpperCase() }
      expectProblem(await api.request('PUT', `${core}/users/${name}/password`, { body }), 422, 'Invalid')
      const long = { password: 'ab'.repeat(512) }
      expectStatus(await api.request('PUT', `${core}/users/${name}/password`, { body: long }), 200)
      expectStatus(await login(api, { username: name, ...long }), 201)
    })
  })

  test('C7-115 a user cannot set its own password without presenting the current one', async () => {
    const chief = await person(api, { hasPassword: true, roles: ['super-administrator'] })
    const set = () =>
      chief.request('PUT', `${core}/users/${chief.name}/password`, { body: { password: 'not shown before' } })
    await expectSoon(async () => expectStatus(await chief.request('GET', `${core}/users?size=1`), 200))
    expectProblem(await set(), 403, 'Forbidden')
    expectStatus(await login(api, { username: chief.name }), 201)
  })

  describe('unsafe methods with a cookie', () => {
    const cases: readonly (readonly [status: number, what: string, headers: Record<string, string>])[] = [
      [403, 'without an origin', {}],
      [403, 'from another origin', { origin: 'https://evil.example' }],
      [403, 'from the same site', { 'sec-fetch-site': 'same-site' }],
      [422, 'from the own origin', { origin: 'own' }],
      [422, 'from the same origin by Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }],
    ]
    for (const [status, what, given] of cases) {
      test(`C7-25 an unsafe request with a cookie ${what} is ${status === 403 ? 'rejected' : 'not rejected'} as cross-site`, async () => {
        const editor = await person(api, { hasPassword: true, roles: ['super-administrator'] })
        const cookie = (await cookieOf(editor.name)).split(';')[0] ?? ''
        const headers = { cookie, ...given, ...(given['origin'] === 'own' && own()) }
        const answer = await api.request('POST', `${core}/roles`, {
          as: 'anonymous',
          headers,
          body: { metadata: { name: 'x' } },
        })
        expectStatus(answer, status)
        if (status === 403) expectProblem(answer, 403, 'CrossSite')
        expectStatus(
          await api.request('GET', `${core}/roles?size=1`, { as: 'anonymous', headers: { cookie, ...given } }),
          200,
        )
      })
    }
  })

  test('C7-26 a login from another site is 403 CrossSite', async () => {
    const { name } = await person(api, { hasPassword: true })
    const body = { username: name, password: 'correct horse battery' }
    for (const headers of [{}, { origin: 'https://evil.example' }]) {
      expectProblem(await api.request('POST', '/auth/sessions', { body, as: 'anonymous', headers }), 403, 'CrossSite')
    }
  })

  test('C7-27 a wrong user name and a wrong password get the same response', async () => {
    const { name } = await person(api, { hasPassword: true })
    const wrong = await login(api, { username: name, password: 'wrong' })
    const nobody = await login(api, { username: 'nobody-at-all', password: 'wrong' })
    const shown = ({ body }: { body: unknown }) => ({ ...(body as object), requestId: '' })
    expectProblem(wrong, 401, 'Unauthenticated')
    expect(shown(nobody)).toEqual(shown(wrong))
  })

  test('C7-28 repeated failed logins are 429 with Retry-After, while other users can sign in', async () => {
    const { name } = await person(api, { hasPassword: true })
    for (let tries = 0; tries < 5; tries++) await login(api, { username: name, password: 'wrong' })
    const refused = await login(api, { username: name })
    expectProblem(refused, 429, 'TooManyRequests')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    const other = await person(api, { hasPassword: true })
    expectStatus(await login(api, { username: other.name }), 201)
  })
})

onEachEngine(
  (api) => {
    test('C7-401 sessions.idleTimeout and sessions.maxAge set other times', async () => {
      const { name } = await person(api, { hasPassword: true })
      const answer = await login(api, { username: name })
      expect(String(answer.headers['set-cookie'])).toMatch(/; Max-Age=900$/)
      const { createdAt, expiresAt } = answer.body as Record<'createdAt' | 'expiresAt', string>
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(600_000)
    })
  },
  { env: { PERGOLA_SESSIONS_IDLE_TIMEOUT: '600', PERGOLA_SESSIONS_MAX_AGE: '900' } },
)
