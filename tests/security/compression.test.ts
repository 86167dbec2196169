import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { core, createRole, expectSoon, login, person } from '../conformance/people.ts'
import { expectStatus } from '../conformance/request.ts'
import { once, onEachEngine } from '../conformance/server.ts'

const secrets = `${core}/secrets`
const pin = `pin-${randomBytes(16).toString('hex')}`
const variables = { KEY: randomBytes(32).toString('base64') }
const file = () => ({ secrets: { keys: [{ env: 'KEY' }] } })

/** Ways to ask for compression, some malformed. */
const asking = ['gzip', 'GZIP', '*', 'gzip;q=1.000', 'x-gzip, gzip', 'identity;q=0, gzip', 'br;q=0, *;q=0.001']
const malformed = [
  'gzip;q=',
  'gzip;q=NaN',
  'gzip;q=-0',
  'gzip;q=1e0',
  'gzip;;q=1',
  ';;;,,,',
  ',gzip;=',
  'gzip;q="1"',
  '__proto__, constructor;q=1',
  '\u00ff\u00fe',
  'gzip;q=0,'.repeat(1_500),
  `*;${' '.repeat(12_000)}q=0`,
]

onEachEngine(
  (api) => {
    /** May write and list secrets, but not get them: the size of what others read is all that is left to watch. */
    const attacker = once(async () => {
      const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['create', 'list'] }]
      const eve = await person(api, { roles: [await createRole(api, { rules })] })
      await expectSoon(async () => expectStatus(await eve.request('GET', `${secrets}?size=1`), 200))
      const victim = { metadata: { name: 'victim' }, data: { pin, filling: 'f'.repeat(2_000) } }
      expectStatus(await api.request('POST', secrets, { body: victim }), 201)
      const guess = { metadata: { name: 'guess', annotations: { guess: pin.repeat(50) } }, data: { pin: 'pin-0' } }
      expectStatus(await eve.request('POST', secrets, { body: guess }), 201)
      return eve
    })

    describe('compression tells nothing about secrets', () => {
      for (const accepted of [...asking, ...malformed]) {
        const shown = JSON.stringify(accepted.length > 40 ? `${accepted.slice(0, 40)}…` : accepted)
        test(`no answer about secrets is compressed with Accept-Encoding: ${shown}`, async () => {
          const eve = await attacker()
          const headers = { 'accept-encoding': accepted }
          for (const path of [secrets, `${secrets}?size=20`, `${secrets}/victim`, `${secrets}/guess`]) {
            const answer = await api.request('GET', path, { headers })
            expectStatus(answer, 200)
            expect(answer.headers['content-encoding']).toBeUndefined()
            expect(Number(answer.headers['content-length'] ?? answer.text.length)).toBe(answer.text.length)
          }
          for (const path of [secrets, `${secrets}?size=20`]) {
            const answer = await eve.request('GET', path, { headers })
            expectStatus(answer, 200)
            expect(answer.headers['content-encoding']).toBeUndefined()
          }
        })
      }

      test('no answer below /auth is compressed, whatever the caller makes it contain', async () => {
        const { name, token } = await person(api, { hasPassword: true })
        for (const accepted of asking) {
          const headers = { 'accept-encoding': accepted, 'user-agent': 'u'.repeat(2_000) }
          const made = await login(api, { username: name, transport: 'token' }, headers)
          expectStatus(made, 201)
          const answers = [
            made,
            await api.request('GET', '/auth/sessions', { token, headers }),
            await api.request('GET', `/auth/${'a'.repeat(2_000)}`, { token, headers }),
          ]
          for (const answer of answers) expect(answer.headers['content-encoding']).toBeUndefined()
        }
      })

      test('a malformed Accept-Encoding is answered with the plain body', async () => {
        for (const accepted of malformed) {
          const answer = await api.request('GET', '/apis', { headers: { 'accept-encoding': accepted } })
          expectStatus(answer, 200)
          expect(answer.headers['content-encoding']).toBeUndefined()
          expect(answer.body).toBeTypeOf('object')
        }
      })
    })
  },
  { file, variables },
)
