import { randomBytes } from 'node:crypto'
import type { PluginDefinition } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import { core } from './people.ts'
import { another, install, phaseIs, plugins } from './plugin.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { once, onEachEngine } from './server.ts'

const variables = { KEY: randomBytes(32).toString('base64') }
const configMaps = `${core}/configmaps`
const secrets = `${core}/secrets`
const merge = { 'content-type': 'application/merge-patch+json' }

const schema = {
  type: 'object',
  required: ['limit'],
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 9 },
    greeting: { type: 'string', default: 'hello' },
    tags: { type: 'array', items: { type: 'string' } },
    token: { type: 'string', minLength: 4, writeOnly: true },
  },
}

/** Forwards the given request to the host as itself and returns the response. */
const answer = `async (request, response, ask) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const { path, ...options } = JSON.parse(text)
  response.setHeader('content-type', 'application/json').end(JSON.stringify(await ask(path, options)))
}`

function withAsk(name: string, change: Partial<PluginDefinition> = {}): PluginDefinition {
  const path = `/apis/console.api.${name}.example.com/v1alpha1/ask`
  return another(name, { routes: [{ audience: 'console', method: 'POST', path }], ...change })
}

interface Problem {
  readonly errors: readonly { readonly field: string; readonly rule: string; readonly message: string }[]
}

const errorsOf = ({ body }: Answer) => (body as Problem).errors

onEachEngine(
  (api) => {
    const installed = once(async () => {
      expectStatus(await install(api, { definition: withAsk('shop', { settings: schema }), answer }), 201)
      await phaseIs(api, { phase: 'Started' }, 'shop')
      const body = { metadata: { name: 'shop-settings' }, data: { limit: 1 } }
      expectStatus(await api.request('POST', configMaps, { body }), 201)
      const sealed = { metadata: { name: 'shop-settings' }, data: { token: 'abcd' } }
      expectStatus(await api.request('POST', secrets, { body: sealed }), 201)
    })
    const write = async (collection: string, data: object) => {
      await installed()
      return api.request('PUT', `${collection}/shop-settings`, { body: { data } })
    }
    const asPlugin = async (path: string, options: object = {}) => {
      await installed()
      const ask = '/apis/console.api.shop.example.com/v1alpha1/ask'
      const answered = await api.request('POST', ask, { body: { path, ...options } })
      expectStatus(answered, 200)
      return answered.body as { readonly status: number; readonly body: { readonly data?: object } }
    }

    describe('settings of a plugin', () => {
      test('C8-200 the plugin object contains the schema of its settings', async () => {
        await installed()
        const { body } = await api.request('GET', `${plugins}/shop`)
        expect(body).toMatchObject({ spec: { settings: schema } })
      })

      test('C8-201 settings are validated by the schema; errors name the field and no secret value', async () => {
        expectStatus(await write(configMaps, { limit: 3, greeting: 'hi', tags: ['a'] }), 200)
        const rows: readonly [object, string, string][] = [
          [{ limit: 10 }, 'data.limit', 'maximum'],
          [{ limit: '3' }, 'data.limit', 'type'],
          [{ limit: 3, tags: [1] }, 'data.tags[0]', 'type'],
          [{}, 'data.limit', 'required'],
        ]
        for (const [data, field, rule] of rows) {
          const refused = await write(configMaps, data)
          expectProblem(refused, 422, 'Invalid')
          expect(errorsOf(refused)).toMatchObject([{ field, rule }])
        }
        const refused = await write(secrets, { token: 'xyz' })
        expect(errorsOf(refused)).toMatchObject([{ field: 'data.token', rule: 'minLength' }])
        expect(refused.text).not.toContain('xyz')
      })

      test('C8-202 unknown settings are 422', async () => {
        for (const collection of [configMaps, secrets]) {
          const refused = await write(collection, { limitt: 'x', ...(collection === configMaps && { limit: 1 }) })
          expectProblem(refused, 422, 'Invalid')
          expect(errorsOf(refused)).toMatchObject([{ field: 'data.limitt', rule: 'unknown' }])
        }
      })

      test('C8-203 a secret setting in the config map, or a plain one in the secret, is 422 with where it belongs', async () => {
        const open = await write(configMaps, { limit: 1, token: 'not for everybody' })
        expectProblem(open, 422, 'Invalid')
        expect(errorsOf(open)).toMatchObject([
          { field: 'data.token', rule: 'settings', message: 'is a secret, and belongs in the secret of the same name' },
        ])
        expect(open.text).not.toContain('everybody')
        const sealed = await write(secrets, { token: 'abcd', greeting: 'hi' })
        expect(errorsOf(sealed)).toMatchObject([
          { field: 'data.greeting', message: 'is no secret, and belongs in the configmap of the same name' },
        ])
      })

      test('C8-204 create, update and patch validate settings', async () => {
        await write(configMaps, { limit: 3 })
        const path = `${configMaps}/shop-settings`
        expectProblem(
          await api.request('PATCH', path, { headers: merge, body: { data: { limit: 99 } } }),
          422,
          'Invalid',
        )
        expectStatus(await api.request('PATCH', path, { headers: merge, body: { data: { limit: 4 } } }), 200)
        const sealed = `${secrets}/shop-settings`
        expectProblem(
          await api.request('PATCH', sealed, { headers: merge, body: { data: { token: 'x' } } }),
          422,
          'Invalid',
        )
        expectStatus(await api.request('DELETE', path), 200)
        const again = (limit: number) =>
          api.request('POST', configMaps, { body: { metadata: { name: 'shop-settings' }, data: { limit } } })
        expectProblem(await again(0), 422, 'Invalid')
        expectStatus(await again(5), 201)
      })

      test('C8-205 settings are stored without defaults', async () => {
        await write(configMaps, { limit: 6 })
        const { body } = await api.request('GET', `${configMaps}/shop-settings`)
        expect((body as { data: object }).data).toEqual({ limit: 6 })
      })

      test('C8-206 a plugin may get its own settings without approval', async () => {
        await write(configMaps, { limit: 7 })
        await write(secrets, { token: 'sealed' })
        expect(await asPlugin(`${configMaps}/shop-settings`)).toMatchObject({
          status: 200,
          body: { data: { limit: 7 } },
        })
        expect(await asPlugin(`${secrets}/shop-settings`)).toMatchObject({
          status: 200,
          body: { data: { token: 'sealed' } },
        })
      })

      test('C8-207 a plugin may not write its own settings or read those of others', async () => {
        const body = { data: { limit: 8 } }
        expect(await asPlugin(`${configMaps}/shop-settings`, { method: 'PUT', body })).toMatchObject({ status: 403 })
        expect(await asPlugin(`${secrets}/shop-settings`, { method: 'DELETE' })).toMatchObject({ status: 403 })
        for (const collection of [configMaps, secrets]) {
          expect(await asPlugin(collection)).toMatchObject({ status: 403 })
          expect(await asPlugin(`${collection}/other-settings`)).toMatchObject({ status: 403 })
        }
      })

      test('C8-208 settings of a plugin that declares none must be empty; other names accept anything', async () => {
        expectStatus(await install(api, { definition: another('bare') }), 201)
        const body = (data: object) => ({ body: { metadata: { name: 'bare-settings' }, data } })
        expectProblem(await api.request('POST', configMaps, body({ a: 1 })), 422, 'Invalid')
        expectStatus(await api.request('POST', configMaps, body({})), 201)
        expectStatus(
          await api.request('POST', configMaps, { body: { metadata: { name: 'nobody-settings' }, data: { a: 1 } } }),
          201,
        )
      })

      test('C8-209 a package whose settings schema cannot be compiled is 422', async () => {
        const settings = { type: 'object', properties: { a: { type: 'string', pattern: '(' } } }
        const refused = await install(api, { definition: another('broken', { settings }) })
        expectProblem(refused, 422, 'Invalid')
        expect(refused.text).toContain('its settings cannot be used')
        const list = await install(api, { definition: another('broken', { settings: { type: 'array' } }) })
        expectProblem(list, 422, 'Invalid')
      })
    })
  },
  { variables, file: () => ({ secrets: { keys: [{ env: 'KEY' }] } }) },
)
