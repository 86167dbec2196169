import { expect, test } from 'vitest'
import { core, login } from './people.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

onEachEngine(
  (api) => {
    test('C7-50 C7-51 one secret makes the first super administrator, once', async () => {
      const secret = api.setupSecret()
      expect(secret).toMatch(/^pgi_[\w-]{43}$/)
      // Another start, or another replica, prints another one; both are valid until one is used.
      await api.restart()
      const other = api.setupSecret()
      expect(other).not.toBe(secret)
      const setUp = (body: object) =>
        api.request('POST', '/auth/setup', { body, as: 'anonymous', headers: { origin: api.origin() } })
      const ann = { username: 'ann', password: 'correct horse battery' }
      expectProblem(await setUp({ ...ann, secret: 'pgi_guessed' }), 401, 'Unauthenticated')
      expectProblem(await setUp({ ...ann, secret, password: 'short' }), 422, 'Invalid')
      expectProblem(await setUp({ ...ann, secret, username: 'Not A Name' }), 422, 'Invalid')
      expectStatus(await setUp({ ...ann, secret }), 201)
      for (const used of [secret, other]) {
        expectProblem(await setUp({ ...ann, secret: used, username: 'ben' }), 401, 'Unauthenticated')
      }
      const signedIn = await login(api, { username: 'ann', transport: 'token' })
      expectStatus(signedIn, 201)
      const { token } = signedIn.body as { token: string }
      expectStatus(await api.request('GET', `${core}/users`, { token }), 200)
      await api.restart()
      expect(api.setupSecret()).toBeUndefined()
    })
  },
  { unseeded: true },
)
