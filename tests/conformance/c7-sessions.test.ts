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

  test('C7-20 a login by token answers the token once, and how long it lasts', async () => {
    const { name } = await person(api)
    const answer = await login(api, { username: name, transport: 'token' })
    expectStatus(answer, 201)
    const { token, expiresAt } = answer.body as { token: string; expiresAt: string }
    expect(token).toMatch(/^pgs_[\w-]{43}$/)
    const hours = (Date.parse(expiresAt) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(11.9)
    expect(hours).toBeLessThanOrEqual(12.01)
    expect(answer.headers['set-cookie']).toBeUndefined()
    const sessions = await api.request('GET', '/auth/sessions', { token })
    expectStatus(sessions, 200)
    expect(sessions.text).not.toContain(token)
  })

  test('C7-21 a login in a browser sets a cookie that scripts cannot read and other sites do not get', async () => {
    const { name } = await person(api)
    const cookie = await cookieOf(name)
    expect(cookie).toMatch(/^pergola-session=pgs_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/)
    const headers = { cookie: cookie.split(';')[0] ?? '' }
    expectStatus(await api.request('GET', '/apis', { as: 'anonymous', headers }), 200)
  })

  test('C7-22 C7-116 a session that is over is 401, and its cookie is cleared', async () => {
    const { name } = await person(api)
    const cookie = (await cookieOf(name)).split(';')[0] ?? ''
    const headers = { cookie, ...own() }
    expectStatus(await api.request('DELETE', '/auth/sessions/-', { as: 'anonymous', headers }), 200)
    const answer = await api.request('GET', '/readyz?verbose', { as: 'anonymous', headers: { cookie } })
    expectProblem(answer, 401, 'Unauthenticated')
    expect(String(answer.headers['set-cookie'])).toMatch(/^pergola-session=; .*Max-Age=0$/)
  })

  test('C7-23 sessions are listed and ended one by one, on every replica', async () => {
    const ann = await person(api)
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
    const ben = await person(api)
    expectProblem(await ben.request('DELETE', `/auth/sessions/${items[0]?.id}`, { headers: own() }), 404, 'NotFound')
  })

  test('C7-24 whoever changes its password is signed out everywhere else', async () => {
    const ann = await person(api)
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

  test('C7-109 a new password ends the tokens too, unless it is said that they stay', async () => {
    const tokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
    const ann = await person(api)
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

  test('C7-112 of more than 50 sessions of a user the oldest end', async () => {
    const { name, token: oldest } = await person(api)
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

  describe('a password that anybody guesses first is refused:', () => {
    const cases = {
      'seven characters': 'seven77',
      '1,025 characters': 'ab'.repeat(513),
      'one character repeated': 'aaaaaaaaaa',
      'one of the commonest': 'Password1',
    }
    for (const [what, password] of Object.entries(cases)) {
      test(`C7-113 ${what}`, async () => {
        const ann = await person(api)
        const body = { current: 'correct horse battery', new: password }
        expectProblem(await ann.request('PUT', '/auth/password', { body, headers: own() }), 422, 'Invalid')
        const set = await api.request('PUT', `${core}/users/${ann.name}/password`, { body: { password } })
        expectProblem(set, 422, 'Invalid')
        expect((set.body as { errors: readonly { pointer: string }[] }).errors[0]?.pointer).toBe('/password')
      })
    }
    test('C7-113 the name of the user', async () => {
      const { name } = await person(api)
      const body = { password: name.toUpperCase() }
      expectProblem(await api.request('PUT', `${core}/users/${name}/password`, { body }), 422, 'Invalid')
      const long = { password: 'ab'.repeat(512) }
      expectStatus(await api.request('PUT', `${core}/users/${name}/password`, { body: long }), 200)
      expectStatus(await login(api, { username: name, ...long }), 201)
    })
  })

  test('C7-115 nobody sets its own password without showing the one that it has', async () => {
    const chief = await person(api, { roles: ['super-administrator'] })
    const set = () =>
      chief.request('PUT', `${core}/users/${chief.name}/password`, { body: { password: 'not shown before' } })
    await expectSoon(async () => expectStatus(await chief.request('GET', `${core}/users?size=1`), 200))
    expectProblem(await set(), 403, 'Forbidden')
    expectStatus(await login(api, { username: chief.name }), 201)
  })

  describe('with a cookie, what changes something must come from our own pages:', () => {
    const cases: readonly (readonly [status: number, what: string, headers: Record<string, string>])[] = [
      [403, 'from nowhere', {}],
      [403, 'from elsewhere', { origin: 'https://evil.example' }],
      [403, 'from a sibling', { 'sec-fetch-site': 'same-site' }],
      [422, 'from here, by origin', { origin: 'own' }],
      [422, 'from here, by the browser', { 'sec-fetch-site': 'same-origin' }],
    ]
    for (const [status, what, given] of cases) {
      test(`C7-25 ${what}`, async () => {
        const editor = await person(api, { roles: ['super-administrator'] })
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

  test('C7-26 signing in from another site is refused', async () => {
    const { name } = await person(api)
    const body = { username: name, password: 'correct horse battery' }
    for (const headers of [{}, { origin: 'https://evil.example' }]) {
      expectProblem(await api.request('POST', '/auth/sessions', { body, as: 'anonymous', headers }), 403, 'CrossSite')
    }
  })

  test('C7-27 a wrong name and a wrong password have the same answer', async () => {
    const { name } = await person(api)
    const wrong = await login(api, { username: name, password: 'wrong' })
    const nobody = await login(api, { username: 'nobody-at-all', password: 'wrong' })
    const shown = ({ body }: { body: unknown }) => ({ ...(body as object), requestId: '' })
    expectProblem(wrong, 401, 'Unauthenticated')
    expect(shown(nobody)).toEqual(shown(wrong))
  })

  test('C7-28 guessing a password ends in 429 with the time to wait, while others still sign in', async () => {
    const { name } = await person(api)
    for (let tries = 0; tries < 5; tries++) await login(api, { username: name, password: 'wrong' })
    const refused = await login(api, { username: name })
    expectProblem(refused, 429, 'TooManyRequests')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    const other = await person(api)
    expectStatus(await login(api, { username: other.name }), 201)
  })
})
