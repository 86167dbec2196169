import { describe, expect, test } from 'vitest'
import { core, login, person } from '../conformance/people.ts'
import { expectStatus } from '../conformance/request.ts'
import { onEachEngine } from '../conformance/server.ts'
import { guess, sendRaw, type RawAnswer } from './attack.ts'
import { countHashes } from './count-hashes.ts'

const right = 'correct horse battery'

let addresses = 0
/** An address that has not signed in before. */
const freshAddress = () => `127.0.${1 + Math.floor(++addresses / 250)}.${1 + (addresses % 250)}`

onEachEngine((api) => {
  const url = () => api.origin()
  const count = (answers: readonly RawAnswer[], status: number) =>
    answers.filter((answer) => answer.status === status).length

  describe('user enumeration', () => {
    const disabled = async () => {
      const { name } = await person(api, { hasPassword: true })
      expectStatus(await api.request('PUT', `${core}/users/${name}`, { body: { spec: { disabled: true } } }), 200)
      return name
    }
    const withoutPassword = async () => {
      const answer = await api.request('POST', `${core}/users`, {
        body: { metadata: { name: `silent-${++addresses}` } },
      })
      return (answer.body as { metadata: { name: string } }).metadata.name
    }
    const kinds: Readonly<Record<string, () => Promise<string>>> = {
      'a name that does not exist': async () => `nobody-${++addresses}`,
      'an invalid name': async () => 'Not A Name/%00',
      'a disabled user': disabled,
      'a user without a password': withoutPassword,
    }
    for (const [what, nameOf] of Object.entries(kinds)) {
      test(`${what} gets the same response as an existing user`, async () => {
        const { name } = await person(api, { hasPassword: true })
        const known = await guess(url(), { username: name, password: 'wrong password', from: freshAddress() })
        const other = await guess(url(), { username: await nameOf(), password: 'wrong password', from: freshAddress() })
        const said = ({ text }: RawAnswer) => text.replace(/"requestId":"[^"]*"/, '')
        expect(known.status).toBe(401)
        expect([other.status, said(other)]).toEqual([401, said(known)])
      })

      test(`${what} costs one hash, as an existing user does`, async () => {
        const names = { known: (await person(api, { hasPassword: true })).name, other: await nameOf() }
        using hashing = countHashes()
        const costOf = async (username: string) => {
          const before = hashing.count
          await guess(url(), { username, password: 'wrong password', from: freshAddress() })
          return hashing.count - before
        }
        expect(await costOf(names.known)).toBe(1)
        expect(await costOf(names.other)).toBe(1)
      })
    }

    test('failed logins for a name that does not exist are limited as well', async () => {
      const from = freshAddress()
      const username = 'nobody-at-all'
      const answers: RawAnswer[] = []
      for (let tries = 0; tries < 7; tries++) answers.push(await guess(url(), { username, password: 'wrong', from }))
      expect([count(answers, 401), count(answers, 429)]).toEqual([5, 2])
    })
  })

  describe('guessing', () => {
    test('of 60 concurrent guesses at most five are hashed', async () => {
      const { name: username } = await person(api, { hasPassword: true })
      const from = freshAddress()
      const words = Array.from({ length: 60 }, (_, at) => `guess ${at}`)
      using hashing = countHashes()
      const answers = await Promise.all(words.map((password) => guess(url(), { username, password, from })))
      expect(hashing.count).toBeLessThanOrEqual(5)
      expect(count(answers, 401)).toBeLessThanOrEqual(5)
    })

    test('one password for many names, concurrently', async () => {
      const from = freshAddress()
      const names = Array.from({ length: 120 }, (_, at) => `sprayed-${at}`)
      const answers = await Promise.all(names.map((username) => guess(url(), { username, password: right, from })))
      expect(count(answers, 401)).toBeLessThanOrEqual(50)
    })

    test('the current password, with a stolen session', async () => {
      const ann = await person(api, { hasPassword: true })
      const change = (current: string) =>
        ann.request('PUT', '/auth/password', { body: { current, new: 'known to eve' }, headers: { origin: url() } })
      const sent = await Promise.all(Array.from({ length: 20 }, (_, at) => change(`guess ${at}`)))
      expect(sent.filter(({ status }) => status === 403).length).toBeLessThanOrEqual(5)
      expectStatus(await change(right), 429)
    })
  })

  describe('locking a user out', () => {
    test('failed logins from one or many addresses do not lock the user out where it signed in before', async () => {
      const chief = await person(api, { hasPassword: true, roles: ['super-administrator'] })
      expect((await guess(url(), { username: chief.name, password: right })).status).toBe(201)
      const from = freshAddress()
      for (let tries = 0; tries < 6; tries++) await guess(url(), { username: chief.name, password: 'wrong', from })
      for (let tries = 0; tries < 12; tries++) {
        await guess(url(), { username: chief.name, password: 'wrong', from: freshAddress() })
      }
      // From a known address the login still works; from another address it gets a short Retry-After.
      expect((await guess(url(), { username: chief.name, password: right })).status).toBe(201)
      // Several at once: on a slow machine, the wait of a single one could be over before it arrives.
      const others = await Promise.all(
        Array.from({ length: 8 }, () => guess(url(), { username: chief.name, password: right, from: freshAddress() })),
      )
      const limited = others.filter(({ status }) => status === 429)
      expect(limited).not.toEqual([])
      for (const { headers } of limited) expect(Number(headers['retry-after'])).toBeLessThanOrEqual(30)
    })

    test('guesses from another address do not block a login', async () => {
      const { name } = await person(api, { hasPassword: true })
      const from = freshAddress()
      const flood = Array.from({ length: 40 }, (_, at) =>
        guess(url(), { username: `flood-${at}`, password: 'x', from }),
      )
      expect((await guess(url(), { username: name, password: right, from: freshAddress() })).status).toBe(201)
      await Promise.all(flood)
    })
  })

  describe('session fixation', () => {
    test('a login ignores a session id that the client sent', async () => {
      const { name } = await person(api, { hasPassword: true })
      const planted = `pgs_${'A'.repeat(43)}`
      for (const cookie of [`pergola-session=${planted}`, `x=1; pergola-session=${planted}; y=2`]) {
        const answer = await sendRaw(url(), {
          method: 'POST',
          target: '/auth/sessions',
          headers: { origin: url(), cookie },
          body: JSON.stringify({ username: name, password: right }),
          from: freshAddress(),
        })
        const set = String(answer.headers['set-cookie'] ?? '')
        expect(set).not.toContain(planted)
        expectStatus(await api.request('GET', '/apis', { as: 'anonymous', headers: { cookie } }), 401)
      }
      expectStatus(await api.request('GET', '/apis', { token: planted }), 401)
    })

    test('a login rejects a session id in the body', async () => {
      const { name } = await person(api, { hasPassword: true })
      const planted = `pgs_${'B'.repeat(43)}`
      for (const more of [{ token: planted }, { id: planted }, { session: planted }]) {
        expectStatus(await login(api, { username: name, ...more }), 422)
      }
      expectStatus(await api.request('GET', '/apis', { token: planted }), 401)
    })

    test('a login with the cookie of another user creates a new session', async () => {
      const [eve, ann] = [await person(api, { hasPassword: true }), await person(api, { hasPassword: true })]
      const first = await login(api, { username: eve.name })
      const cookie = String(first.headers['set-cookie']?.[0]).split(';')[0] ?? ''
      const answer = await sendRaw(url(), {
        method: 'POST',
        target: '/auth/sessions',
        headers: { origin: url(), cookie },
        body: JSON.stringify({ username: ann.name, password: right }),
        from: freshAddress(),
      })
      expect(answer.status).toBe(201)
      expect(String(answer.headers['set-cookie'])).not.toContain(cookie)
      const { body } = await api.request('GET', '/auth/sessions', { as: 'anonymous', headers: { cookie } })
      const { items } = body as { items: { username: string }[] }
      expect(new Set(items.map(({ username }) => username))).toEqual(new Set([eve.name]))
    })

    test('a personal access token in the cookie, or a session under another cookie name, is rejected', async () => {
      const ann = await person(api, { hasPassword: true })
      const made = await ann.request('POST', '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens', { body: {} })
      const { token } = made.body as { token: string }
      const cookie = `pergola-session=${token}`
      expectStatus(await api.request('GET', '/apis', { as: 'anonymous', headers: { cookie } }), 401)
      for (const name of ['__Host-pergola-session', 'Pergola-Session', 'session', 'pergola-session[]']) {
        const headers = { cookie: `${name}=${ann.token}` }
        expectStatus(await api.request('GET', '/apis', { as: 'anonymous', headers }), 401)
      }
    })
  })
})

onEachEngine(
  (api) => {
    describe('guessing', () => {
      test('the setup secret', async () => {
        const secret = api.setupSecret() ?? ''
        expect(secret).not.toBe('')
        const setUp = (username: string, shown: string) =>
          api.request('POST', '/auth/setup', {
            body: { username, password: right, secret: shown },
            as: 'anonymous',
            headers: { origin: api.origin() },
          })
        const guesses = ['', 'pgi_', secret.slice(0, -1), `${secret}A`, secret.toLowerCase(), '%', "' OR 1=1 --"]
        for (const guessed of guesses) expect([401, 422]).toContain((await setUp('eve', guessed)).status)
        expectStatus(await setUp('ann', secret), 201)
        expectStatus(await setUp('eve', secret), 401)
      })
    })
  },
  { unseeded: true },
)
