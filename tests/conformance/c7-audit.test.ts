import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { auditDirectory, idOf, linesIn, linesOf } from './audit-lines.ts'
import { cookieOf, core, login, person } from './people.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { onEachEngine, once, type Api } from './server.ts'

const file = join(auditDirectory(), 'audit.log')
const env = { PERGOLA_AUDIT_FILE: file, PERGOLA_HTTP_TRUSTED_PROXIES: '127.0.0.1' }
const roles = `${core}/roles`
const tokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
const password = 'correct horse battery'

async function tokenOf(api: Api, session: string): Promise<{ readonly name: string; readonly secret: string }> {
  const answer = await api.request('POST', tokens, { token: session, body: {} })
  expectStatus(answer, 201)
  const { metadata, token } = answer.body as { metadata: { name: string }; token: string }
  return { name: metadata.name, secret: token }
}

onEachEngine(
  (api) => {
    const administrator = once(() => person(api, { hasPassword: true, roles: ['super-administrator'] }))
    const own = () => ({ origin: api.origin() })
    const only = async (answer: Answer) => {
      const lines = await linesOf(file, answer)
      expect(lines).toHaveLength(1)
      return lines[0]
    }

    test('C7-80 a write leaves one line with user, credential, address, request, allowing role and result', async () => {
      const { name, token } = await administrator()
      const made = await tokenOf(api, token)
      const body = { metadata: { generateName: 'audited-' }, rules: [] }
      const answer = await api.request('POST', roles, { token: made.secret, body })
      expectStatus(answer, 201)
      expect(await only(answer)).toEqual({
        audit: 1,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/) as string,
        replica: expect.any(String) as string,
        requestId: idOf(answer),
        user: name,
        how: 'token',
        token: made.name,
        address: '127.0.0.1',
        verb: 'create',
        group: '',
        resource: 'roles',
        name: (answer.body as { metadata: { name: string } }).metadata.name,
        decision: 'allowed',
        by: 'super-administrator',
        status: 201,
        ms: expect.any(Number) as number,
      })
    })

    describe('the line names the kind of credential', () => {
      const ways: readonly (readonly [how: string, send: (path: string) => Promise<Answer>])[] = [
        ['session', async (path) => (await administrator()).request('DELETE', path)],
        [
          'cookie',
          async (path) => {
            const cookie = await cookieOf(api, (await administrator()).name)
            return api.request('DELETE', path, { as: 'anonymous', headers: { cookie, ...own() } })
          },
        ],
      ]
      for (const [how, send] of ways) {
        test(`C7-80 a write with a ${how} leaves a line that says so`, async () => {
          const answer = await send(`${roles}/nothing-there`)
          expectProblem(answer, 404, 'NotFound')
          expect(await only(answer)).toMatchObject({
            how,
            user: (await administrator()).name,
            verb: 'delete',
            name: 'nothing-there',
            decision: 'allowed',
            reason: 'NotFound',
            status: 404,
          })
        })
      }
    })

    test('C7-80 an invalid write and a dry run leave a line', async () => {
      const invalid = await api.request('POST', roles, { body: { metadata: { name: 'Not A Name' } } })
      expect(await only(invalid)).toMatchObject({ decision: 'allowed', reason: 'Invalid', status: 422 })
      const body = { metadata: { name: 'only-tried' }, rules: [] }
      const tried = await api.request('POST', `${roles}?dryRun=true`, { body })
      expect(await only(tried)).toMatchObject({ decision: 'allowed', dryRun: true, status: 201 })
    })

    test('C7-80 a read leaves no line', async () => {
      const read = [await api.request('GET', roles), await api.request('GET', '/livez', { as: 'anonymous' })]
      await only(await api.request('DELETE', `${roles}/nothing-there`))
      const ids = linesIn(file).map(({ requestId }) => requestId)
      for (const answer of read) expect(ids).not.toContain(idOf(answer))
    })

    describe('a denied request leaves a line', () => {
      const denials: readonly (readonly [what: string, expected: object, send: () => Promise<Answer>])[] = [
        [
          'without credentials',
          { how: 'anonymous', verb: 'list', resource: 'roles', reason: 'Unauthenticated', status: 401 },
          () => api.request('GET', roles, { as: 'anonymous' }),
        ],
        [
          'with a wrong token',
          { how: 'refused', verb: 'list', reason: 'Unauthenticated', status: 401 },
          () => api.request('GET', roles, { token: 'wrong' }),
        ],
        [
          'without the right',
          { how: 'session', verb: 'get', name: 'author', reason: 'Forbidden', status: 403 },
          async () => (await person(api, { hasPassword: true })).request('GET', `${roles}/author`),
        ],
        [
          'from another site',
          { how: 'cookie', verb: 'create', reason: 'CrossSite', status: 403 },
          async () => {
            const cookie = await cookieOf(api, (await administrator()).name)
            return api.request('POST', roles, { as: 'anonymous', headers: { cookie }, body: {} })
          },
        ],
        [
          'on a non-resource path',
          { how: 'anonymous', verb: 'get', path: '/apis', reason: 'Unauthenticated', status: 401 },
          () => api.request('GET', '/apis?size=1', { as: 'anonymous' }),
        ],
      ]
      for (const [what, expected, send] of denials) {
        test(`C7-81 a request denied ${what} leaves a line with the reason`, async () => {
          expect(await only(await send())).toMatchObject({ ...expected, decision: 'denied', address: '127.0.0.1' })
        })
      }
    })

    test('C7-82 logins, logouts and changes of passwords and tokens have their own event names', async () => {
      const { name, token } = await person(api, { hasPassword: true })
      const auth = (method: string, path: string, body?: object) =>
        api.request(method, path, { token, headers: own(), ...(body && { body }) })
      const change = { current: password, new: 'quite another one', keepTokens: true }
      const made = await tokenOf(api, token)
      const cookie = await cookieOf(api, name)
      const events: readonly (readonly [event: string, account: string | undefined, answer: Answer])[] = [
        ['sign-in', name, await login(api, { username: name })],
        ['sign-in-failed', name, await login(api, { username: name, password: 'wrong' })],
        [
          'sign-out',
          undefined,
          await api.request('DELETE', '/auth/sessions/-', { as: 'anonymous', headers: { cookie, ...own() } }),
        ],
        ['password-change-failed', undefined, await auth('PUT', '/auth/password', { ...change, current: 'wrong' })],
        ['password-change', undefined, await auth('PUT', '/auth/password', change)],
        ['token-create', undefined, await auth('POST', tokens, {})],
        ['token-delete', undefined, await auth('DELETE', `${tokens}/${made.name}`)],
        ['password-set', undefined, await api.request('PUT', `${core}/users/${name}/password`, { body: { password } })],
        [
          'setup-failed',
          undefined,
          await api.request('POST', '/auth/setup', {
            as: 'anonymous',
            headers: own(),
            body: { secret: 'pgi_guessed', username: 'eve', password },
          }),
        ],
      ]
      for (const [event, account, answer] of events) {
        const line = await only(answer)
        expect(line).toMatchObject({ event, status: answer.status, ...(account !== undefined && { account }) })
        if (account === undefined) expect(line).not.toHaveProperty('account')
      }
    })

    test('C7-84 the entered user name is not logged unless such a user exists', async () => {
      const answer = await login(api, { username: 'my-password-in-the-wrong-field', password: 'x' })
      expectProblem(answer, 401, 'Unauthenticated')
      const line = await only(answer)
      expect(line).toMatchObject({ event: 'sign-in-failed', how: 'anonymous', decision: 'denied' })
      expect(JSON.stringify(line)).not.toContain('wrong-field')
    })

    test('C7-89 the address is that of the client behind trusted proxies', async () => {
      const headers = { 'x-forwarded-for': '6.6.6.6, 198.51.100.1' }
      expect(await only(await api.request('DELETE', `${roles}/nothing-there`, { headers }))).toMatchObject({
        address: '198.51.100.1',
      })
      expect(await only(await api.request('GET', roles, { as: 'anonymous', headers }))).toMatchObject({
        address: '198.51.100.1',
      })
    })
  },
  { env },
)

onEachEngine(
  (api) => {
    test('C7-83 neither the audit log nor the log contains a secret, session, query or body', async () => {
      const { name, token: session } = await person(api, { hasPassword: true, roles: ['super-administrator'] })
      const { secret } = await tokenOf(api, session)
      const cookie = await cookieOf(api, name)
      const { body } = await api.request('GET', '/auth/sessions', { token: session })
      const ids = (body as { items: { id: string }[] }).items.map(({ id }) => id)
      const planted = [
        secret,
        session,
        cookie.split('=')[1] ?? '',
        ...ids,
        `pgi_${'aB3-_'.repeat(9).slice(0, 43)}`,
        password,
        'a-password-nobody-has',
        'words-of-a-body',
        'words-of-a-query',
        'conformance-conformance-conformance',
      ]
      const all = planted.join(' ')
      const query = new URLSearchParams({ access_token: all, labelSelector: 'words-of-a-query' }).toString()
      const own = { origin: api.origin() }
      const headers = {
        ...own,
        'x-secret': all,
        cookie: `${cookie}; other=${secret}`,
        'user-agent': all,
        referer: `http://a.example/?${query}`,
      }
      const object = { metadata: { name: 'with-secrets', annotations: { 'a.example/b': all } }, rules: [] }
      for (const given of planted) {
        const encoded = encodeURIComponent(given)
        await api.request('GET', `${roles}?${query}`, { token: given, headers })
        await api.request('DELETE', `${roles}?${query}`, {
          as: 'anonymous',
          headers: { ...headers, authorization: `Basic ${encoded}` },
        })
        await api.request('POST', `${roles}?${query}`, { token: session, headers, body: object })
        await api.request('POST', roles, { token: session, headers, body: all })
        await login(api, { username: given, password: given }, headers)
        await login(api, { username: name, password: given }, headers)
        if (/^pg[a-z]_/.test(given)) {
          await api.request('DELETE', `${roles}/${encoded}`, { headers })
          await api.request('GET', `/${encoded}/${encoded}`, { as: 'anonymous' })
        }
      }
      for (const id of ids) await api.request('DELETE', `/auth/sessions/${id}`, { token: session, headers: own })
      await api.restart()
      const lines = linesIn(file)
      expect(lines.filter(({ event }) => event === 'sign-out').length).toBeGreaterThan(0)
      expect(lines.filter(({ event }) => event === 'sign-in-failed').length).toBeGreaterThan(planted.length)
      const written = JSON.stringify(lines) + api.logged()
      for (const given of planted) expect(written.includes(given), `${given.slice(0, 12)}… was written`).toBe(false)
    })
  },
  { env, keepsLog: true },
)
