import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { beforeAll, expect, test } from 'vitest'
import { chromium, startPage } from '../../../tests/client/page.ts'
import { startSqliteServer, token } from '../../../tests/client/server.ts'
import type * as loaded from './index.ts'

/** Bytes of the whole client, bundled and compressed; measured 9,050. */
const maxBytes = 10_500

let bundle: string
beforeAll(async () => {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@pergola/source'] },
    build: {
      write: false,
      target: 'es2024',
      lib: { entry: fileURLToPath(new URL('index.ts', import.meta.url)), formats: ['iife'], name: 'pergola' },
    },
  })
  const [{ output }] = [built].flat() as [Rolldown.RolldownOutput]
  bundle = output[0].code
}, 60_000)

test('the browser bundle is small and imports nothing from Node.js', () => {
  expect(gzipSync(bundle).length).toBeLessThan(maxBytes)
  expect(bundle).not.toMatch(/\bnode:|\brequire\(/)
})

test.skipIf(!existsSync(chromium))(
  'in a browser, watches work over event streams with a token and over a WebSocket with a session',
  { timeout: 60_000 },
  async () => {
    await using page = await startPage()
    await using server = await startSqliteServer({ PERGOLA_SERVER_PUBLIC_URL: page.origin })
    const notes = await server.notes()
    const [name, password] = ['ann', 'correct horse battery']
    const core = (plural: string) => server.client().resource({ group: '', version: 'v1alpha1', plural })
    await core('users').create({ metadata: { name } })
    const binding = { metadata: { name }, roleRef: { name: 'super-administrator' }, subjects: [{ name }] }
    await core('rolebindings').create(binding)
    await server.client().call({ method: 'PUT', path: `/api/v1alpha1/users/${name}/password`, body: { password } })
    page.serve(
      server.url,
      `${bundle};(${inPage.toString()})(${JSON.stringify({ url: page.origin, token, password, plural: notes.plural })})`,
    )
    expect(await page.run()).toEqual({
      byToken: { sockets: 0, told: ['added one', 'modified one', 'deleted one'], refused: 'NotFound' },
      bySession: { sockets: 1, told: ['added one', 'modified one', 'deleted one'], refused: 'NotFound' },
      nobody: 'Unauthenticated',
    })
  },
)

interface Given {
  readonly url: string
  readonly token: string
  readonly password: string
  readonly plural: string
}

/** Runs in the page and cannot refer to anything in this file. */
async function inPage({ url, token: adminToken, password, plural }: Given): Promise<void> {
  const { createClient } = (globalThis as unknown as { pergola: typeof loaded }).pergola
  let sockets = 0
  globalThis.WebSocket = class extends WebSocket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given)
      sockets++
    }
  }
  const follow = async (options: { token?: string }) => {
    sockets = 0
    const notes = createClient({ url, ...options }).resource({
      group: 'client.example.com',
      version: 'v1alpha1',
      plural,
    })
    const cache = notes.cache()
    await cache.ready
    const told: string[] = []
    cache.on(({ type, object }) => told.push(`${type} ${object.metadata.name}`))
    await notes.create({ metadata: { name: 'one' }, spec: { text: 'a' } } as never)
    await notes.patch('one', { spec: { text: 'b' } })
    await notes.delete('one')
    await cache.waitFor(() => told.length === 3)
    cache.close()
    const refused = await notes.get('one').catch(({ reason }: { reason: string }) => reason)
    return { sockets, told, refused }
  }
  const tell = (result: unknown) => fetch('/result', { method: 'POST', body: JSON.stringify(result) })
  try {
    const byToken = await follow({ token: adminToken })
    const nobody = await follow({}).catch(({ reason }: { reason: string }) => reason)
    await createClient({ url }).call({ method: 'POST', path: '/auth/sessions', body: { username: 'ann', password } })
    await tell({ byToken, bySession: await follow({}), nobody })
  } catch (error) {
    await tell({ failed: String(error) })
  }
}
