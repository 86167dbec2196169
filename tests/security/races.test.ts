import { describe, expect, test } from 'vitest'
import { core, expectSoon, login, person } from '../conformance/people.ts'
import { expectStatus, type Answer } from '../conformance/request.ts'
import { onEachEngine } from '../conformance/server.ts'

const rounds = 5
const tokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
const tokenIn = ({ status, body }: Answer) => (status === 201 ? [(body as { token: string }).token] : [])

onEachEngine((api) => {
  describe('credentials created while they are revoked', () => {
    test('sessions created with a password that is replaced are rejected', async () => {
      const there = await api.replica()
      const { name } = await person(api, { hasPassword: true })
      for (let round = 0; round < rounds; round++) {
        const password = round === 0 ? 'correct horse battery' : `the password of round ${round}`
        const next = { password: `the password of round ${round + 1}` }
        // More logins than are hashed concurrently: some have read the old hash when it is replaced.
        const logins = Array.from({ length: 12 }, () => login(api, { username: name, password, transport: 'token' }))
        const [reset, ...answers] = await Promise.all([
          there.request('PUT', `${core}/users/${name}/password`, { body: next }),
          ...logins,
        ])
        expectStatus(reset, 200)
        for (const token of answers.flatMap(tokenIn)) {
          await expectSoon(async () => expectStatus(await api.request('GET', '/auth/sessions', { token }), 401))
        }
        expectStatus(await login(api, { username: name, ...next }), 201)
      }
    })

    test('tokens created by a session that is revoked are rejected', async () => {
      const there = await api.replica()
      for (let round = 0; round < rounds; round++) {
        const { name, token: session } = await person(api, { hasPassword: true })
        const password = { password: 'quite another one' }
        const [reset, ...answers] = await Promise.all([
          there.request('PUT', `${core}/users/${name}/password`, { body: password }),
          ...Array.from({ length: 20 }, async (_, at) => {
            // Staggered, so that some run at the moment of the change.
            for (let turn = 0; turn < at; turn++) await new Promise(setImmediate)
            return api.request('POST', tokens, { token: session, body: {} })
          }),
        ])
        expectStatus(reset, 200)
        for (const token of answers.flatMap(tokenIn)) {
          await expectSoon(async () => expectStatus(await api.request('GET', tokens, { token }), 401))
        }
      }
    })

    test('sessions created while the user is disabled are rejected', async () => {
      const there = await api.replica()
      for (let round = 0; round < rounds; round++) {
        const { name } = await person(api, { hasPassword: true })
        const [disabled, ...answers] = await Promise.all([
          there.request('PUT', `${core}/users/${name}`, { body: { spec: { disabled: true } } }),
          ...Array.from({ length: 6 }, () => login(api, { username: name, transport: 'token' })),
        ])
        expectStatus(disabled, 200)
        expectStatus(await api.request('PUT', `${core}/users/${name}`, { body: { spec: { disabled: false } } }), 200)
        for (const token of answers.flatMap(tokenIn)) {
          await expectSoon(async () => expectStatus(await api.request('GET', '/auth/sessions', { token }), 401))
        }
        expect(answers.length).toBe(6)
      }
    })
  })
})
