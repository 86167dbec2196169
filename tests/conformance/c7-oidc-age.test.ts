import { setTimeout as sleep } from 'node:timers/promises'
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
    test('C7.1-5 roles that a provider gave are void some time after the last login, on every replica', async () => {
      provider.accounts.set('ann', { preferred_username: 'ann', groups: ['chiefs'] })
      const browser = openBrowser(api, 'ann')
      const there = await api.replica()
      const answer = await browser.signIn('short')
      const signedIn = performance.now()
      const cookie = /pergola-session=[^;]+/.exec(String(answer.headers['set-cookie']))?.[0] ?? ''
      const token = cookie.slice('pergola-session='.length)
      using watching = await api.watch(`${core}/users`, { token })
      const users = `${core}/users?size=1`
      const expectBoth = async (status: number) => {
        expectStatus(await browser.send(users), status)
        expectStatus(await there.request('GET', users, { as: 'anonymous', headers: { cookie } }), status)
      }
      await expectBoth(200)
      await sleep(maxAgeSeconds * 1000 + 200 - (performance.now() - signedIn))
      // The session goes on without the roles.
      await expectBoth(403)
      // So does no stream that was opened by them; one looks each second.
      const { object } = await watching.frame('ERROR')
      expect(object).toMatchObject({ status: 403, reason: 'Forbidden' })
      expectStatus(await browser.signIn('short'), 303)
      expectStatus(await browser.send(users), 200)
    })
  },
  {
    providers: () => [provider.settings({ rolesClaim: 'groups', roles: { chiefs: ['super-administrator'] } })],
    env: { PERGOLA_OIDC_MAX_AGE: String(maxAgeSeconds) },
  },
)
