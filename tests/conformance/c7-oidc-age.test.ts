import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from './browser.ts'
import { createTestProvider } from './oidc-provider.ts'
import { core } from './people.ts'
import { expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const provider = createTestProvider('short')
beforeAll(() => provider.start())
afterAll(() => provider.stop())

const maxAgeSeconds = 4

onEachEngine(
  (api) => {
    test('C7.1-5 roles that a provider gave expire oidc.maxAge after the last login, on every replica', async () => {
      provider.accounts.set('ann', { preferred_username: 'ann', groups: ['chiefs'] })
      const browser = openBrowser(api, 'ann')
      const there = await api.replica()
      const users = `${core}/users?size=1`
      const signedIn = async () => {
        const answer = await browser.signIn('short')
        const cookie = /pergola-session=[^;]+/.exec(String(answer.headers['set-cookie']))?.[0] ?? ''
        const token = cookie.slice('pergola-session='.length)
        const statuses = async () => [
          (await browser.send(users)).status,
          (await there.request('GET', users, { as: 'anonymous', headers: { cookie } })).status,
        ]
        const watching = await api.watch(`${core}/users`, { token }).catch(() => undefined)
        return { watching, statuses, before: await statuses() }
      }
      const isBound = async () => {
        const { body } = await api.request('GET', `${core}/rolebindings?fieldSelector=subjects.name=ann`)
        return (body as { readonly total: number }).total === 1
      }
      /** Returns whether the roles ended before their binding was deleted, which happens once a minute. */
      const expired = async () => {
        let session = await signedIn()
        // On a busy machine the roles may expire before the first request, so this retries.
        for (let tries = 0; tries < 5 && session.before.includes(403); tries++) session = await signedIn()
        expect(session.before).toEqual([200, 200])
        using watching = session.watching ?? expect.fail('the stream was refused')
        // The session continues without the roles.
        await expect.poll(session.statuses).toEqual([403, 403])
        // A stream that needs the roles ends; the server checks once a second.
        const { object } = await watching.frame('ERROR')
        expect(object).toMatchObject({ status: 403, reason: 'Forbidden' })
        return isBound()
      }
      let isByAge = false
      for (let tries = 0; tries < 3 && !isByAge; tries++) isByAge = await expired()
      expect(isByAge, 'the roles ended only with their binding').toBe(true)
      expectStatus(await browser.signIn('short'), 303)
      expectStatus(await browser.send(users), 200)
    }, 300_000)
  },
  {
    providers: () => [provider.settings({ rolesClaim: 'groups', roles: { chiefs: ['super-administrator'] } })],
    env: { PERGOLA_OIDC_MAX_AGE: String(maxAgeSeconds) },
  },
)
