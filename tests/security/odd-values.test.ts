import { describe, expect, test } from 'vitest'
import { createRole, core, login, person } from '../conformance/people.ts'
import { expectStatus } from '../conformance/request.ts'
import { onEachEngine } from '../conformance/server.ts'

const tokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'

onEachEngine((api) => {
  describe('values that two components could read differently', () => {
    test('a NUL in a name, a selector or a query causes no server error', async () => {
      const things = await api.things()
      const answers = [
        await login(api, { username: 'a\u0000b', password: 'x' }),
        await api.request('GET', `${core}/users/a%00b`),
        await api.request('GET', `${things.path}?labelSelector=${encodeURIComponent('a=b\u0000c')}`),
        await api.request('GET', `${things.path}?labelSelector=${encodeURIComponent('a\u0000')}`),
        await api.request('GET', `${things.path}?fieldSelector=${encodeURIComponent('spec.city=b\u0000c')}`),
        await api.request('GET', `${things.path}?continue=%00`),
        await things.create({ name: 'nul', spec: { city: 'a\u0000b' } }),
        await things.create({ name: 'nul', metadata: { labels: { 'a\u0000': 'b' } } }),
        await api.request('POST', '/apis/api.platform.run/v1alpha1/accessreviews', {
          body: { user: 'a\u0000b', requests: [{ verb: 'get', resource: 'users' }] },
        }),
        await api.request('POST', tokens, { body: { description: 'a\u0000b' } }),
      ]
      for (const { status, text } of answers) expect(status, text).toBeLessThan(500)
    })

    test('indexes and fields named like members of Object.prototype work', async () => {
      const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty']
      const own = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
      // Not a literal: there, __proto__ would set the prototype instead of a field.
      Object.defineProperty(own, '__proto__', { value: { type: 'string' }, enumerable: true })
      const schema = {
        type: 'object',
        properties: { spec: { type: 'object', properties: own } },
      }
      for (const name of names) {
        const answer = await api
          .model({
            specRequired: false,
            versions: [{ name: 'v1alpha1', schema }],
            indexes: [{ name: `spec.${name}` }],
            composites: [],
          })
          .catch((error: unknown) => String(error))
        // The definition may be rejected; if it is accepted, the index must work.
        if (typeof answer === 'string') {
          expect(answer).not.toContain('500')
          continue
        }
        const body = JSON.parse(`{"metadata":{"name":"odd"},"spec":{"${name}":"x"}}`) as object
        expectStatus(await api.request('POST', answer.path, { body }), 201)
        expect(await answer.names({ fieldSelector: `spec.${name}=x` })).toEqual(['odd'])
        expect(await answer.names({ fieldSelector: `spec.${name}=y` })).toEqual([])
      }
    })

    test('no user can be created with a reserved name', async () => {
      for (const name of ['system:bootstrap', 'plugin:todo', '-', 'system']) {
        const { status } = await api.request('POST', `${core}/users`, { body: { metadata: { name } } })
        expect(status, name).toBe(name === 'system' ? 201 : 422)
      }
    })

    test('responses with secrets have Cache-Control: no-store', async () => {
      const ann = await person(api, { hasPassword: true })
      const made = await ann.request('POST', tokens, { body: {} })
      expectStatus(made, 201)
      expect(made.headers['cache-control']).toContain('no-store')
      const signedIn = await login(api, { username: ann.name, transport: 'token' })
      expect(signedIn.headers['cache-control']).toContain('no-store')
    })
  })

  describe('expensive requests', () => {
    test('a role with 200 rules of repeated words is rejected in few comparisons', async () => {
      const editor = await createRole(api, { rules: [{ apiGroups: [''], resources: ['roles'], verbs: ['*'] }] })
      const eve = await person(api, { roles: [editor] })
      const words = (word: string) => Array.from({ length: 60 }, () => word)
      const rule = { apiGroups: words('g'), resources: words('r'), resourceNames: words('n'), verbs: ['get', 'list'] }
      const body = { metadata: { name: 'repeated' }, rules: Array.from({ length: 200 }, () => rule) }
      await expect
        .poll(async () => (await eve.request('POST', `${core}/roles`, { body })).text, { interval: 25 })
        .toContain('EscalationForbidden')
    })
  })
})
