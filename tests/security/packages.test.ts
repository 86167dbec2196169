import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { packages } from '../conformance/plugin.ts'
import { expectProblem, expectStatus } from '../conformance/request.ts'
import { onEachEngine } from '../conformance/server.ts'
import { packageOf, pluginPackage, todoDefinition } from '../end-to-end/plugin-package.ts'

const mebibyte = 1024 * 1024
const headers = { 'content-type': 'application/gzip' }
const manifest = { name: 'todo', version: '1.0.0', definition: todoDefinition }
const files = { 'plugin.json': JSON.stringify(manifest), 'plugin.js': '' }

/** Compresses well, but like text; only null bytes exceed a ratio of 1000. */
const dense = Array.from({ length: 200 }, (_, at) => `${at * 7919}`).join(' ')
const denseText = (bytes: number) => dense.repeat(Math.ceil(bytes / dense.length)).slice(0, bytes)

onEachEngine((api) => {
  const plan = (body: Buffer) => api.request('POST', `${packages}?plan=true`, { body, headers })

  describe('small packages that take much work to read', () => {
    const heavy: readonly (readonly [what: string, make: () => Buffer, says: RegExp])[] = [
      [
        'unpacks to more than 100 MiB',
        () => packageOf({ ...files, a: denseText(99 * mebibyte), b: denseText(2 * mebibyte) }),
        /unpacks to more than 104857600 bytes/,
      ],
      [
        // Each key is compared with every other one, which takes several times as long as it may.
        'declares an object with very many keys',
        () => packageOf({ ...files, 'extensions/a.yaml': keys(60_000) }),
        /takes more than \d+ ms to read/,
      ],
    ]
    for (const [what, make, says] of heavy) {
      test(`a package that ${what} is refused, and other requests are answered meanwhile`, async () => {
        const order: string[] = []
        const refused = plan(make()).finally(() => order.push('refused'))
        for (let at = 0; at < 10; at++) {
          expectStatus(await api.request('GET', '/livez', { as: 'anonymous' }), 200)
          order.push('alive')
        }
        const answer = await refused
        expect(order).toEqual([...Array.from({ length: 10 }, () => 'alive'), 'refused'])
        expectProblem(answer, 422, 'Invalid')
        expect(answer.text).toMatch(says)
      })
    }

    test('null blocks after the end of an archive are not read', async () => {
      const archive = gunzipSync(pluginPackage())
      expectStatus(await plan(gzipSync(Buffer.concat([archive, Buffer.alloc(64 * mebibyte)]))), 200)
    })
  })
})

/** Short, because the size of a file is limited. */
function keys(count: number): string {
  return `{${Array.from({ length: count }, (_, at) => at.toString(36)).join(',')}}`
}
