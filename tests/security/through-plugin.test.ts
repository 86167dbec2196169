import { describe, expect, test } from 'vitest'
import { operationsOf } from '../conformance/documents.ts'
import { another, install, phaseIs } from '../conformance/plugin.ts'
import { bind, cookieOf, core, expectSoon, person, type Person } from '../conformance/people.ts'
import { expectStatus, type Answer } from '../conformance/request.ts'
import { once, onEachEngine } from '../conformance/server.ts'

const path = '/apis/console.api.proxy.example.com/v1alpha1/send'
const tokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'

/** Sends the request of the body to the host for its caller, or with a caller token that the body brings; returns both. */
const relays = `async (request, response, ask) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const { path, token = request.headers['pergola-caller-token'], ...options } = JSON.parse(text)
  const answered = path === undefined ? {} : await ask(path, { ...options, 'pergola-caller-token': token })
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ token, ...answered }))
}`
/** The plugin has all rights, so only its caller and the rule on credentials limit it. */
const everything = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
]
const definition = another('proxy', {
  routes: [{ audience: 'console', method: 'POST', path }],
  permissions: everything,
})
/** A session with a password, or a personal access token. */
type Credential = Pick<Person, 'token'>

interface Relayed {
  readonly token: string
  readonly status: number
  readonly body: { readonly detail?: string; readonly reason?: string }
}

onEachEngine((api) => {
  const ready = once(async () => {
    expectStatus(await install(api, { definition, answer: relays }), 201)
    await phaseIs(api, { phase: 'Started' }, 'proxy')
  })
  const relay = async (by: Credential, body: object): Promise<Relayed> => {
    const answered = await api.request('POST', path, { body, token: by.token })
    expectStatus(answered, 200)
    return answered.body as Relayed
  }
  const administrator = async () => {
    await ready()
    const root = await person(api, { hasPassword: true })
    await bind(api, 'super-administrator', [root.name])
    await expectSoon(async () => expectStatus(await root.request('GET', `${core}/users?size=1`), 200))
    return root
  }

  describe('a plugin that acts for an administrator cannot reach a credential', () => {
    test('C7-402 by any endpoint of the host that makes, shows, changes or links one', async () => {
      const root = await administrator()
      expect(await relay(root, { path: `${core}/users?size=1` })).toMatchObject({ status: 200 })
      const named = (await operationsOf(api)).filter(({ path: at }) =>
        /^\/auth\/|password|token|identit|session/i.test(at),
      )
      expect(named.length).toBeGreaterThan(15)
      for (const { method, path: template } of named) {
        const at = template.replaceAll(/\{\w+\}/g, 'any')
        const { status, body } = await relay(root, {
          method,
          path: at,
          origin: api.origin(),
          ...(method.startsWith('P') && { body: {} }),
        })
        expect([method, at, status, body.reason]).toEqual([method, at, 403, 'Forbidden'])
        expect(body.detail).toContain('for its caller')
      }
    })
    test('C7-402 by the objects of tokens, one by one or in a batch', async () => {
      const root = await administrator()
      const made = (await root.request('POST', tokens, { body: { description: 'own' } })) as Answer & {
        readonly body: { readonly metadata: { readonly name: string } }
      }
      expectStatus(made, 201)
      const { name } = made.body.metadata
      const resource = 'personalaccesstokens'
      const all = `/apis/security.platform.run/v1alpha1/${resource}`
      for (const [method, at] of [
        ['GET', all],
        ['GET', `${all}/${name}`],
        ['DELETE', `${all}/${name}`],
        ['DELETE', `${all}?all=true`],
      ]) {
        expect(await relay(root, { method, path: at })).toMatchObject({ status: 403 })
      }
      const operations = [{ verb: 'delete', apiVersion: 'security.platform.run/v1alpha1', resource, name }]
      const batch = '/apis/api.platform.run/v1alpha1/batches'
      expect(await relay(root, { method: 'POST', path: batch, body: { operations } })).toMatchObject({ status: 403 })
      expectStatus(await root.request('GET', `${all}/${name}`), 200)
    })
  })

  describe('a caller token ends with the credential behind it', () => {
    const write = () => ({ method: 'POST', path: `${core}/users?dryRun=true`, body: { metadata: { name: 'made' } } })
    /** The plugin keeps the token of the first request and uses it in requests of other users. */
    const expectEnded = async (by: Credential, end: () => Promise<Answer>) => {
      const other = await administrator()
      const { token } = await relay(by, {})
      expect(await relay(other, { token, ...write() })).toMatchObject({ status: 201 })
      const ended = await end()
      expect(ended.status).toBeLessThan(300)
      await expectSoon(async () => expect(await relay(other, { token, ...write() })).toMatchObject({ status: 401 }))
    }
    test('C7-403 when its session is ended', async () => {
      const root = await administrator()
      const headers = { origin: api.origin() }
      await expectEnded(root, () => root.request('DELETE', '/auth/sessions/-', { headers }))
    })
    test('C7-403 when a cookie of its session is ended', async () => {
      const root = await administrator()
      const headers = { cookie: await cookieOf(api, root.name), origin: api.origin() }
      const { body } = await api.request('POST', path, { as: 'anonymous', headers, body: {} })
      const { token } = body as Relayed
      expect(await relay(await administrator(), { token, ...write() })).toMatchObject({ status: 201 })
      expectStatus(await api.request('DELETE', '/auth/sessions/-', { as: 'anonymous', headers }), 200)
      expect(await relay(await administrator(), { token, ...write() })).toMatchObject({ status: 401 })
    })
    test('C7-403 when its personal access token is deleted', async () => {
      const root = await administrator()
      const made = await root.request('POST', tokens, { body: { description: 'own' } })
      const { token, metadata } = made.body as { readonly token: string; readonly metadata: { readonly name: string } }
      await expectEnded({ token }, () => root.request('DELETE', `${tokens}/${metadata.name}`))
    })
    test('C7-403 when an administrator resets the password', async () => {
      const root = await administrator()
      const body = { password: 'another horse battery' }
      await expectEnded(root, () => api.request('PUT', `${core}/users/${root.name}/password`, { body }))
    })
    test('C7-403 when the user is disabled', async () => {
      const root = await administrator()
      const headers = { 'content-type': 'application/merge-patch+json' }
      const body = { spec: { disabled: true } }
      await expectEnded(root, () => api.request('PATCH', `${core}/users/${root.name}`, { body, headers }))
    })
  })
})
