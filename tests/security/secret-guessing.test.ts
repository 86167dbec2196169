import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { batches, results } from '../conformance/batches.ts'
import { core, createRole, expectSoon, person, type Person } from '../conformance/people.ts'
import { expectProblem, expectStatus, type Answer } from '../conformance/request.ts'
import { once, onEachEngine } from '../conformance/server.ts'

const secrets = `${core}/secrets`
const merge = { 'content-type': 'application/merge-patch+json' }
const jsonPatch = { 'content-type': 'application/json-patch+json' }
const annotation = '/metadata/annotations/x.example~1y'

interface Shown {
  readonly metadata: { readonly version: number; readonly generation: number }
}

onEachEngine(
  (api) => {
    const writer = once(async () => {
      const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['create', 'update', 'patch', 'list'] }]
      const eve = await person(api, { roles: [await createRole(api, { rules })] })
      await expectSoon(async () => expectStatus(await eve.request('GET', `${secrets}?size=1`), 200))
      return eve
    })
    let made = 0
    const create = async () => {
      const name = `pin-${++made}`
      const body = { metadata: { name, annotations: { a: 'b' } }, data: { pin: '4711', other: 'x' } }
      expectStatus(await api.request('POST', secrets, { body }), 201)
      return { name, path: `${secrets}/${name}` }
    }
    const versions = ({ body }: Answer) => {
      const { version, generation } = (body as Shown).metadata
      return { version, generation }
    }

    /** The ways to write one value of a secret. */
    const ways: Readonly<Record<string, (who: Person, name: string, pin: string) => Promise<Answer>>> = {
      PUT: (who, name, pin) =>
        who.request('PUT', `${secrets}/${name}?dryRun=true`, { body: { data: { pin, other: 'x' } } }),
      'a merge patch': (who, name, pin) =>
        who.request('PATCH', `${secrets}/${name}?dryRun=true`, { headers: merge, body: { data: { pin } } }),
      'a JSON patch': (who, name, pin) =>
        who.request('PATCH', `${secrets}/${name}?dryRun=true`, {
          headers: jsonPatch,
          body: [{ op: 'replace', path: '/data/pin', value: pin }],
        }),
      'a batch': async (who, name, pin) => {
        const operation = {
          verb: 'update',
          apiVersion: 'v1alpha1',
          resource: 'secrets',
          name,
          object: { data: { pin, other: 'x' } },
        }
        const answer = await who.request('POST', `${batches}?dryRun=true`, { body: { operations: [operation] } })
        expectStatus(answer, 200)
        return { ...answer, body: results(answer)[0] }
      },
    }

    describe('guessing the value of a secret with the right to write it', () => {
      for (const [way, write] of Object.entries(ways)) {
        test(`by ${way}: a right guess is answered like a wrong one`, async () => {
          const eve = await writer()
          const { name } = await create()
          const [right, wrong] = [await write(eve, name, '4711'), await write(eve, name, '4712')]
          expect([right.status, wrong.status], right.text).toEqual([200, 200])
          expect(versions(right)).toEqual(versions(wrong))
          expect(versions(right)).toEqual({ version: 1, generation: 2 })
        })
      }

      test('a write of the same value is stored as a change', async () => {
        const eve = await writer()
        const { path } = await create()
        const answer = await eve.request('PUT', path, { body: { data: { pin: '4711', other: 'x' } } })
        expect(versions(answer)).toEqual({ version: 1, generation: 2 })
        expect((await api.request('GET', path)).body).toMatchObject({ data: { pin: '4711', other: 'x' } })
      })

      const reading: readonly (readonly [what: string, operation: object])[] = [
        ['test', { op: 'test', path: '/data/pin', value: '4711' }],
        ['test of all data', { op: 'test', path: '/data', value: {} }],
        ['test of the whole object', { op: 'test', path: '', value: {} }],
        ['copy to an annotation', { op: 'copy', from: '/data/pin', path: annotation }],
        ['copy of all data', { op: 'copy', from: '/data', path: annotation }],
        ['copy of the whole object', { op: 'copy', from: '', path: annotation }],
        ['move to an annotation', { op: 'move', from: '/data/pin', path: annotation }],
        ['move to another key', { op: 'move', from: '/data/pin', path: '/data/else' }],
        ['step into a value', { op: 'add', path: '/data/pin/a', value: 1 }],
      ]
      for (const [what, operation] of reading) {
        test(`a JSON patch cannot read a value: ${what}`, async () => {
          const { path } = await create()
          for (const who of [await writer(), api]) {
            const answer = await who.request('PATCH', path, { headers: jsonPatch, body: [operation] })
            expectProblem(answer, 422, 'Invalid')
            expect(answer.text).toContain('only get returns the data')
            expect(answer.text).not.toMatch(/sealed:|"4711/)
          }
        })
      }
    })
  },
  { variables: { KEY: randomBytes(32).toString('base64') }, file: () => ({ secrets: { keys: [{ env: 'KEY' }] } }) },
)
