import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { dumpDatabase } from '../security/dump.ts'
import { core } from './people.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { onEachEngine } from './server.ts'

const secrets = `${core}/secrets`
const configMaps = `${core}/configmaps`
const merge = { 'content-type': 'application/merge-patch+json' }
const jsonPatch = { 'content-type': 'application/json-patch+json' }
const variables = { KEY_A: key(), KEY_B: key() }

/** The environment variables with the keys of the server. */
let chosen: readonly (keyof typeof variables)[] = ['KEY_A']

function key(): string {
  return randomBytes(32).toString('base64')
}

interface Shown {
  readonly metadata: { readonly name: string; readonly version: number; readonly generation: number }
  readonly data?: Readonly<Record<string, unknown>>
}

const shown = ({ body }: Answer) => body as Shown

onEachEngine(
  (api) => {
    let made = 0
    const create = async (data: Readonly<Record<string, unknown>>) => {
      const name = `secret-${++made}`
      const answer = await api.request('POST', secrets, { body: { metadata: { name }, data } })
      expectStatus(answer, 201)
      return { name, path: `${secrets}/${name}`, answer }
    }
    const dataAt = async (path: string) => {
      const answer = await api.request('GET', path)
      expectStatus(answer, 200)
      return shown(answer).data
    }
    const withKeys = async (keys: typeof chosen) => {
      chosen = keys
      await api.restart()
    }

    describe('config maps and secrets', () => {
      test('C1-39 config maps and secrets are at /api/v1alpha1', async () => {
        const { path } = await create({ a: 'b' })
        expect((await api.request('GET', path)).body).toMatchObject({ apiVersion: 'v1alpha1', kind: 'Secret' })
        const body = { metadata: { name: 'plain' }, data: { a: 'b' } }
        expectStatus(await api.request('POST', configMaps, { body }), 201)
        const { body: got } = await api.request('GET', `${configMaps}/plain`)
        expect(got).toMatchObject({ apiVersion: 'v1alpha1', kind: 'ConfigMap', data: { a: 'b' } })
      })

      test('C9-200 a config map contains any JSON values, a secret only strings', async () => {
        const data = { text: 'x', number: 1.5, flag: false, nothing: null, list: [1, 'two'], deep: { a: { b: [] } } }
        expectStatus(await api.request('POST', configMaps, { body: { metadata: { name: 'values' }, data } }), 201)
        expect(await dataAt(`${configMaps}/values`)).toEqual(data)
        for (const value of [1, false, null, ['x'], { a: 'b' }]) {
          const body = { metadata: { generateName: 'no-' }, data: { value } }
          expectProblem(await api.request('POST', secrets, { body }), 422, 'Invalid')
        }
      })

      test('C9-201 a key of their data has only letters, digits, dashes, dots and underscores', async () => {
        for (const collection of [configMaps, secrets]) {
          const send = (name: string) =>
            api.request('POST', collection, { body: { metadata: { generateName: 'named-' }, data: { [name]: 'x' } } })
          expectStatus(await send('tls.key_2-A'), 201)
          for (const name of ['', 'a b', 'a/b', 'ä', 'x'.repeat(254)]) {
            expectProblem(await send(name), 422, 'Invalid')
          }
        }
      })
    })

    describe('the data of a secret', () => {
      test('C9-202 the data of a secret is nowhere in the database in plain text', async () => {
        const planted = 'planted-value-8261-of-a-secret'
        const { path } = await create({ password: planted })
        await api.request('PUT', path, { body: { data: { password: `${planted}-again`, other: planted } } })
        await api.request('PATCH', path, { headers: merge, body: { data: { third: `third-${planted}` } } })
        const { others } = await dumpDatabase(api.databaseUrl())
        const texts = others.map(({ where, bytes }) => ({ where, text: bytes.toString('latin1') }))
        expect(texts.filter(({ text }) => text.includes('planted-value'))).toEqual([])
        const sealed = texts.filter(({ text }) => text.includes('pergola-sealed:1:')).map(({ where }) => where)
        expect(sealed.some((where) => /^m_\d+\.data$/.test(where))).toBe(true)
        expect(sealed.some((where) => /^changes\w*\.data$/.test(where))).toBe(true)
        expect(await dataAt(path)).toEqual({ password: `${planted}-again`, other: planted, third: `third-${planted}` })
      })

      test('C9-203 only get returns the data of a secret; lists and watches leave it out', async () => {
        using watching = await api.watch(`${secrets}?initial=true`)
        await watching.frame('BOOKMARK')
        const { name, path } = await create({ a: 'hidden' })
        await api.request('PUT', path, { body: { data: { a: 'hidden too' } } })
        await expect.poll(() => watching.lines()).toContain(`MODIFIED ${name}`)
        expect(JSON.stringify(watching.frames)).not.toMatch(/hidden|sealed|"data"/)
        for (const query of ['', '?size=500', `?fieldSelector=metadata.name=${name}`]) {
          const { text } = await api.request('GET', `${secrets}${query}`)
          expect(text).toContain(`"${name}"`)
          expect(text).not.toMatch(/hidden|sealed|"data"/)
        }
        expect(await dataAt(path)).toEqual({ a: 'hidden too' })
      })

      test('C9-204 responses to writing or deleting a secret leave its data out', async () => {
        const { path, answer } = await create({ a: 'hidden' })
        const answers = [
          answer,
          await api.request('PUT', path, { body: { data: { a: 'hidden too' } } }),
          await api.request('PATCH', path, { headers: merge, body: { data: { b: 'hidden as well' } } }),
          await api.request('PUT', `${path}?dryRun=true`, { body: { data: { a: 'hidden, not kept' } } }),
          await api.request('DELETE', path),
        ]
        for (const each of answers) {
          expect(each.status).toBeLessThan(300)
          expect(each.text).not.toMatch(/hidden|sealed|"data"/)
        }
      })

      test('C9-205 an update without data keeps the data, one with empty data removes it', async () => {
        const { path } = await create({ a: 'kept' })
        expectStatus(await api.request('PUT', path, { body: { metadata: { labels: { a: 'b' } } } }), 200)
        expect(await dataAt(path)).toEqual({ a: 'kept' })
        expectStatus(await api.request('PUT', path, { body: { data: {} } }), 200)
        expect(await dataAt(path)).toEqual({})
      })

      test('C9-206 a patch changes single keys and can neither test, copy nor move a value', async () => {
        const { path } = await create({ a: 'one', b: 'two' })
        await api.request('PATCH', path, { headers: merge, body: { data: { b: null, c: 'three' } } })
        expect(await dataAt(path)).toEqual({ a: 'one', c: 'three' })
        for (const operation of [
          { op: 'test', path: '/data/a', value: 'one' },
          { op: 'copy', from: '/data/a', path: '/data/b' },
          { op: 'move', from: '/data/a', path: '/data/b' },
        ]) {
          expectProblem(await api.request('PATCH', path, { headers: jsonPatch, body: [operation] }), 422, 'Invalid')
        }
        const set = [
          { op: 'add', path: '/data/d', value: 'four' },
          { op: 'remove', path: '/data/c' },
        ]
        expectStatus(await api.request('PATCH', path, { headers: jsonPatch, body: set }), 200)
        expect(await dataAt(path)).toEqual({ a: 'one', d: 'four' })
      })

      test('C9-207 writing the same data again changes nothing for a caller who may get it', async () => {
        const { path } = await create({ a: 'same', b: 'same' })
        const again = await api.request('PUT', path, { body: { data: { b: 'same', a: 'same' } } })
        expect(shown(again).metadata).toMatchObject({ version: 0, generation: 1 })
        const other = await api.request('PUT', path, { body: { data: { a: 'other', b: 'same' } } })
        expect(shown(other).metadata).toMatchObject({ version: 1, generation: 2 })
      })
    })

    describe('keys', () => {
      test('C9-208 the first key encrypts, all keys decrypt', async () => {
        const { path } = await create({ a: 'by A' })
        await withKeys(['KEY_B', 'KEY_A'])
        const { path: newer } = await create({ a: 'by B' })
        expect([await dataAt(path), await dataAt(newer)]).toEqual([{ a: 'by A' }, { a: 'by B' }])
        await withKeys(['KEY_B'])
        expect(await dataAt(newer)).toEqual({ a: 'by B' })
        expectStatus(await api.request('GET', path), 503)
        await withKeys(['KEY_A'])
        expectStatus(await api.request('GET', newer), 503)
      })

      test('C9-209 reading data whose key is missing is 503; everything else works', async () => {
        await withKeys(['KEY_A'])
        const { path, name } = await create({ a: 'by A' })
        const { path: rewritten } = await create({ a: 'by A' })
        await withKeys(['KEY_B'])
        const refused = await api.request('GET', path)
        expectProblem(refused, 503, 'Unavailable')
        expect(refused.text).toMatch(/secrets\.keys/)
        expect((await api.request('GET', secrets)).text).toContain(`"${name}"`)
        const labelled = await api.request('PATCH', path, {
          headers: merge,
          body: { metadata: { labels: { a: 'b' } } },
        })
        expectStatus(labelled, 200)
        const { path: other } = await create({ a: 'by B' })
        expect(await dataAt(other)).toEqual({ a: 'by B' })
        expectStatus(await api.request('PUT', rewritten, { body: { data: { a: 'anew' } } }), 200)
        expect(await dataAt(rewritten)).toEqual({ a: 'anew' })
        expectStatus(await api.request('DELETE', path), 200)
        await withKeys(['KEY_A'])
      })

      test('C9-210 without any key, a secret is 503 with the setting to fill in', async () => {
        await withKeys([])
        const refused = await api.request('POST', secrets, {
          body: { metadata: { name: 'keyless' }, data: { a: 'b' } },
        })
        expectProblem(refused, 503, 'Unavailable')
        expect(refused.text).toMatch(/set secrets\.keys/)
        expectStatus(await api.request('GET', `${secrets}/keyless`), 404)
        const body = { metadata: { name: 'still-taken' }, data: { a: 'b' } }
        expectStatus(await api.request('POST', configMaps, { body }), 201)
        await withKeys(['KEY_A'])
      })
    })
  },
  { variables, file: () => ({ secrets: { keys: chosen.map((env) => ({ env })) } }) },
)
