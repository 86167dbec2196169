import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from './browser.ts'
import { createTestProvider } from './oidc-provider.ts'
import { core } from './people.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const provider = createTestProvider('gate')
beforeAll(() => provider.start())
afterAll(() => provider.stop())

let count = 0
const known = (claims: Readonly<Record<string, unknown>>) => {
  const subject = `subject-${++count}`
  provider.accounts.set(subject, { preferred_username: subject, ...claims })
  return subject
}

onEachEngine(
  (api) => {
    const usersNamed = async (name: string) => {
      const { body } = await api.request('GET', `${core}/users?fieldSelector=metadata.name=${name}`)
      return (body as { readonly total: number }).total
    }

    test('C7.1-6 a login without a required group is 403, and creates neither a user nor a session', async () => {
      for (const groups of [undefined, [], ['others'], 'Staff', [{ staff: true }], ['staff ']]) {
        const subject = known({ groups })
        const browser = openBrowser(api, subject)
        const answer = await browser.signIn('gate')
        expectProblem(answer, 403, 'Forbidden')
        expect(String(answer.headers['set-cookie'])).not.toMatch(/pergola-session=pgs_/)
        expect(answer.text).not.toContain('staff')
        expect(await usersNamed(subject)).toBe(0)
      }
    })

    test('C7.1-6 a member of one of the groups signs in, until it is in none of them', async () => {
      const subject = known({ groups: ['others', 'staff'] })
      const browser = openBrowser(api, subject)
      expectStatus(await browser.signIn('gate'), 303)
      expect(await browser.user()).toBe(subject)
      provider.accounts.set(subject, { preferred_username: subject, groups: 'chiefs' })
      expectStatus(await browser.signIn('gate'), 303)
      provider.accounts.set(subject, { preferred_username: subject, groups: ['others'] })
      expectProblem(await browser.signIn('gate'), 403, 'Forbidden')
    })
  },
  { providers: () => [provider.settings({ rolesClaim: 'groups', requiredGroups: ['staff', 'chiefs'] })] },
)
