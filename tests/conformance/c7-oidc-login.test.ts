import { describe, expect, test } from 'vitest'
import { openBrowser } from './browser.ts'
import { core, person } from './people.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { onEachEngine } from './server.ts'
import { comesBack, startTwoProviders, targetOf } from './two-providers.ts'

const { first, second, known, settings } = startTwoProviders()

onEachEngine((api) => {
  test('C7-60 the first login creates a user, every later login is the same user', async () => {
    const subject = known(first, { name: 'Ann Example' })
    const browser = openBrowser(api, subject)
    const answer = await browser.signIn('first', '?returnTo=/console?tab=1')
    expectStatus(answer, 303)
    expect(answer.headers['location']).toBe(`${api.origin()}/console?tab=1`)
    const name = await browser.user()
    const { body } = await api.request('GET', `${core}/users/${name}`)
    expect(body).toMatchObject({ spec: { displayName: 'Ann Example', disabled: false } })
    first.accounts.set(subject, { preferred_username: 'quite-another-name' })
    const again = openBrowser(api, subject)
    expectStatus(await again.signIn('first'), 303)
    expect(await again.user()).toBe(name)
  })

  test('C7-60 concurrent first logins of one identity create one user', async () => {
    const subject = known(first, { groups: ['writers'] })
    const browsers = Array.from({ length: 4 }, () => openBrowser(api, subject))
    const backs: string[] = []
    for (const browser of browsers) backs.push(targetOf(await comesBack(browser, 'first')))
    const answers = await Promise.all(browsers.map((browser, at) => browser.send(backs[at] ?? '')))
    for (const answer of answers) expectStatus(answer, 303)
    const names = await Promise.all(browsers.map((browser) => browser.user()))
    expect(new Set(names).size).toBe(1)
    expect(await browsers[0]?.roles()).toEqual(['author', 'contributor'])
  })

  test('C7-60 the session cookie is that of any login, and the login cookie lasts ten minutes and is cleared', async () => {
    const browser = openBrowser(api, known(second))
    const begun = await browser.begin('second')
    expect(begun.headers['set-cookie']?.[0]).toMatch(
      /^pergola-oidc=pgo_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
    )
    const back = await browser.atProvider(String(begun.headers['location']))
    const answer = await browser.send(targetOf(back))
    const [cleared, session] = answer.headers['set-cookie'] ?? []
    expect(cleared).toMatch(/^pergola-oidc=; .*Max-Age=0$/)
    expect(session).toMatch(/^pergola-session=pgs_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/)
  })

  test('C7-60 the providers are listed for everybody', async () => {
    const answer = await api.request('GET', '/auth/oidc', { as: 'anonymous' })
    expectStatus(answer, 200)
    const { items } = answer.body as { items: object[] }
    expect(items[0]).toEqual({ name: 'first', displayName: 'The First', path: '/auth/oidc/first' })
    expectProblem(await api.request('GET', '/auth/oidc/not-there', { as: 'anonymous' }), 404, 'NotFound')
  })

  describe('a user is named after preferred_username', () => {
    const cases: readonly (readonly [preferred: unknown, name: RegExp])[] = [
      ['Åsa.Öberg@Example.com', /^asa-oberg-example-com(-[a-z0-9]{5})?$/],
      ['--', /^user(-[a-z0-9]{5})?$/],
      [undefined, /^user(-[a-z0-9]{5})?$/],
      ['Anonymous', /^anonymous-[a-z0-9]{5}$/],
      ['x'.repeat(300), /^x{60}(-[a-z0-9]{5})?$/],
    ]
    for (const [preferred, expected] of cases) {
      test(`C7-61 preferred_username ${String(preferred).slice(0, 30)} is cleaned to the naming rules`, async () => {
        const browser = openBrowser(api, known(first, { preferred_username: preferred }))
        expectStatus(await browser.signIn('first'), 303)
        expect(await browser.user()).toMatch(expected)
      })
    }
  })

  test('C7-61 a name that is or was in use gets a suffix', async () => {
    const [taken, deleted] = [await person(api), await person(api)]
    expectStatus(await api.request('DELETE', `${core}/users/${deleted.name}`), 200)
    for (const { name } of [taken, deleted]) {
      const browser = openBrowser(api, known(first, { preferred_username: name }))
      expectStatus(await browser.signIn('first'), 303)
      expect(await browser.user()).toMatch(new RegExp(`^${name}-[a-z0-9]{5}$`))
    }
  })

  test('C7-62 the same subject and name at two providers are two users', async () => {
    const claims = { preferred_username: `namesake-${api.engine === 'SQLite' ? 1 : 2}` }
    const subject = known(first, claims)
    second.accounts.set(subject, claims)
    const [one, other] = [openBrowser(api, subject), openBrowser(api, subject)]
    expectStatus(await one.signIn('first'), 303)
    expectStatus(await other.signIn('second'), 303)
    expect(await one.user()).toBe(claims.preferred_username)
    expect(await other.user()).not.toBe(claims.preferred_username)
  })

  test('C7-62 the name and e-mail address of an existing user grant nothing of that user', async () => {
    const ann = await person(api, { roles: ['author'] })
    const email = 'ann@example.com'
    expectStatus(await api.request('PUT', `${core}/users/${ann.name}`, { body: { spec: { email } } }), 200)
    const claims = { preferred_username: ann.name, email, email_verified: true }
    const browser = openBrowser(api, known(first, claims))
    expectStatus(await browser.signIn('first'), 303)
    expect(await browser.user()).not.toBe(ann.name)
    expect(await browser.roles()).toEqual([])
  })

  test('C7-63 a login can be completed once', async () => {
    const browser = openBrowser(api, known(first))
    const begun = await browser.begin('first')
    const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? ''
    const back = targetOf(await browser.atProvider(String(begun.headers['location'])))
    const replay = () => api.request('GET', back, { as: 'anonymous', headers: { cookie } })
    expectStatus(await replay(), 303)
    expectProblem(await replay(), 401, 'Unauthenticated')
  })

  test('C7-63 a login that the provider denied cannot be completed later', async () => {
    const browser = openBrowser(api, known(first))
    const back = await comesBack(browser, 'first')
    const state = back.searchParams.get('state') ?? ''
    const denied = `/auth/oidc/first/callback?error=access_denied&state=${state}&iss=${first.origin()}`
    const answer = await browser.send(denied)
    expectProblem(answer, 401, 'Unauthenticated')
    expect(answer.text).toContain('access_denied')
    expectProblem(await browser.send(targetOf(back)), 401, 'Unauthenticated')
  })

  test('C7-63 only the browser that started a login can complete it', async () => {
    const [mine, other] = [openBrowser(api, known(first)), openBrowser(api, known(first))]
    const back = targetOf(await comesBack(mine, 'first'))
    expectProblem(await openBrowser(api, 'nobody').send(back), 401, 'Unauthenticated')
    await other.begin('first')
    const answer = await other.send(back)
    expectProblem(answer, 401, 'Unauthenticated')
    expect(answer.headers['set-cookie']).toBeUndefined()
    expectStatus(await mine.send(back), 303)
  })

  describe('a callback is 401 and sets no cookie', () => {
    const expectRefused = (answer: Answer) => {
      expectProblem(answer, 401, 'Unauthenticated')
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    test('C7-64 a callback with the code of another login is rejected', async () => {
      const [mine, other] = [openBrowser(api, known(first)), openBrowser(api, known(first))]
      const theirs = await comesBack(other, 'first')
      const back = await comesBack(mine, 'first')
      back.searchParams.set('code', theirs.searchParams.get('code') ?? '')
      expectRefused(await mine.send(targetOf(back)))
    })
    test('C7-64 a callback with another nonce is rejected', async () => {
      const browser = openBrowser(api, known(first))
      const back = await comesBack(browser, 'first', ({ searchParams }) => searchParams.set('nonce', 'another'))
      expectRefused(await browser.send(targetOf(back)))
    })
    test('C7-64 a callback for another challenge is rejected', async () => {
      const browser = openBrowser(api, known(first))
      const back = await comesBack(browser, 'first', ({ searchParams }) =>
        searchParams.set('code_challenge', 'another-another-another-another-another-123'),
      )
      expectRefused(await browser.send(targetOf(back)))
    })
    test('C7-64 a callback with another issuer, or none, is rejected', async () => {
      for (const issuer of [second.origin(), undefined]) {
        const browser = openBrowser(api, known(first))
        const back = await comesBack(browser, 'first')
        expect(back.searchParams.get('iss')).toBe(first.origin())
        if (issuer === undefined) back.searchParams.delete('iss')
        else back.searchParams.set('iss', issuer)
        expectRefused(await browser.send(targetOf(back)))
      }
    })
    test('C7-64 a callback at the path of another provider is rejected', async () => {
      const browser = openBrowser(api, known(first))
      const { search } = await comesBack(browser, 'first')
      const answer = await browser.send(`/auth/oidc/second/callback${search}`)
      expectRefused(answer)
      // The code is not sent to the other provider.
      expect(answer.text).toContain('has not started such a login')
    })
    test('C7-64 a callback without a state, or with two, is rejected', async () => {
      const browser = openBrowser(api, known(first))
      const back = await comesBack(browser, 'first')
      const state = back.searchParams.get('state') ?? ''
      expectRefused(await browser.send('/auth/oidc/first/callback?code=x'))
      expectRefused(await browser.send(`${targetOf(back)}&state=${state}`))
    })
  })

  for (const path of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    'console',
    '/%0d\n/x'.repeat(500),
  ]) {
    test(`C7-65 returnTo=${path.slice(0, 20)} is 400`, async () => {
      const answer = await openBrowser(api, known(first)).begin('first', `?returnTo=${encodeURIComponent(path)}`)
      expectProblem(answer, 400, 'BadRequest')
    })
  }

  test('C7-66 the login of a disabled user is 403 and creates no other user', async () => {
    const subject = known(first, { groups: ['writers'] })
    const browser = openBrowser(api, subject)
    await browser.signIn('first')
    const name = await browser.user()
    const disable = (disabled: boolean) => api.request('PUT', `${core}/users/${name}`, { body: { spec: { disabled } } })
    expectStatus(await disable(true), 200)
    const again = openBrowser(api, subject)
    const refused = await again.signIn('first')
    expectProblem(refused, 403, 'Forbidden')
    expect(refused.headers['set-cookie']).toBeUndefined()
    expectStatus(await disable(false), 200)
    expectStatus(await again.signIn('first'), 303)
    expect(await again.user()).toBe(name)
  })

  test('C7-66 deleting a user deletes its link: the next login creates a new user', async () => {
    const subject = known(first, { groups: ['writers'] })
    const browser = openBrowser(api, subject)
    await browser.signIn('first')
    const name = await browser.user()
    expectStatus(await api.request('DELETE', `${core}/users/${name}`), 200)
    const again = openBrowser(api, subject)
    expectStatus(await again.signIn('first'), 303)
    expect(await again.user()).not.toBe(name)
  })

  test('C7.1-3 a provider that cannot be reached is 503, and other logins keep working', async () => {
    const answer = await api.request('GET', '/auth/oidc/down', { as: 'anonymous' })
    expectProblem(answer, 503, 'Unavailable')
    expect(answer.text).toContain('The Broken cannot be used to sign in now (ECONNREFUSED)')
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expectStatus(await openBrowser(api, known(first)).signIn('first'), 303)
    await person(api)
  })
}, settings)
