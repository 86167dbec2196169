import { expect, test } from 'vitest'
import { core, login } from './people.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

onEachEngine(
  (api) => {
    test('C7-117 C7-118 C7-460 C7-461 browsers get HTML pages for setup and login, whose forms are answered with 303', async () => {
      const html = { accept: 'text/html,application/xhtml+xml' }
      const open = (path: string, more = {}) =>
        api.request('GET', path, { as: 'anonymous', headers: { ...html, ...more } })
      const post = (path: string, fields: Readonly<Record<string, string>>, origin = api.origin()) =>
        api.request('POST', path, {
          as: 'anonymous',
          headers: { ...html, origin, 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams(fields).toString(),
        })
      const first = await open('/auth/setup')
      // With a built console, browsers are redirected to its page.
      const page = first.status === 303 ? await open(String(first.headers['location'])) : first
      expectStatus(page, 200)
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(page.headers['content-security-policy']).toContain("default-src 'none'")
      expect(page.text).not.toContain('pgi_')
      const ann = { username: 'ann', password: 'correct horse battery' }
      const secret = api.setupSecret() ?? ''
      expectProblem(await post('/auth/setup', { ...ann, secret }, 'https://elsewhere.example'), 403, 'CrossSite')
      const wrong = await post('/auth/setup', { ...ann, username: '"><script>', secret })
      expectStatus(wrong, 422)
      expect(wrong.text).toContain('value="&quot;&gt;&lt;script&gt;"')
      expect(wrong.text).not.toContain(secret)
      const made = await post('/auth/setup', { ...ann, secret })
      expect([made.status, made.headers['location']]).toEqual([303, '/auth/login'])

      const loginPage = await open('/auth/login?returnTo=/openapi')
      expect(loginPage.text).toContain('name="returnTo" value="/openapi"')
      expectProblem(await open('/auth/login?returnTo=https://elsewhere.example/'), 400, 'BadRequest')
      expectProblem(await post('/auth/login', { ...ann, returnTo: '//elsewhere.example' }), 400, 'BadRequest')
      const refused = await post('/auth/login', { ...ann, password: 'not hers' })
      expectStatus(refused, 401)
      expect(refused.text).toContain('The user name or the password is wrong.')
      const signedIn = await post('/auth/login', { ...ann, returnTo: '/openapi' })
      expect([signedIn.status, signedIn.headers['location']]).toEqual([303, '/openapi'])
      expect(String(signedIn.headers['set-cookie'])).toContain('HttpOnly')
      // A browser that opens the documents is redirected to the login page; other clients get 401.
      expect((await open('/openapi')).headers['location']).toBe('/auth/login?returnTo=%2Fopenapi')
      expectProblem(await api.request('GET', '/openapi', { as: 'anonymous' }), 401, 'Unauthenticated')

      const ended = { cookie: 'pergola-session=pgs_ended' }
      for (const path of ['/auth/login?returnTo=/openapi', '/openapi']) {
        const again = await open(path, ended)
        expect([again.status, String(again.headers['set-cookie'])]).toEqual([
          303,
          expect.stringMatching(/^pergola-session=;.*Max-Age=0/),
        ])
        expect(again.headers['location']).toMatch(/^\/auth\/login\?/)
      }
      expectProblem(
        await api.request('GET', '/auth/login', { as: 'anonymous', headers: ended }),
        401,
        'Unauthenticated',
      )

      expect(loginPage.text).not.toContain('<script')
      const byCode = await post('/auth/login', { code: '0'.repeat(32) })
      expect([byCode.status, byCode.headers['set-cookie']]).toEqual([422, undefined])
    })
  },
  { unseeded: true },
)

onEachEngine(
  (api) => {
    test('C7-50 C7-51 the setup secret creates the first super administrator, once', async () => {
      const secret = api.setupSecret()
      expect(secret).toMatch(/^pgi_[\w-]{43}$/)
      // Every start and every replica prints its own secret; all are valid until one is used.
      await api.restart()
      const other = api.setupSecret()
      expect(other).not.toBe(secret)
      const setUp = (body: object) =>
        api.request('POST', '/auth/setup', { body, as: 'anonymous', headers: { origin: api.origin() } })
      const ann = { username: 'ann', password: 'correct horse battery' }
      const guessed = await setUp({ ...ann, secret: 'pgi_guessed' })
      expectProblem(guessed, 401, 'Unauthenticated')
      expect(guessed.text).toContain('pergola setup-link makes another one')
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
