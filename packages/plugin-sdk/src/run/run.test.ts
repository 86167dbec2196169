import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createHostFetch } from './host-fetch.ts'

const sdk = join(import.meta.dirname, '../index.ts')
const runner = join(import.meta.dirname, 'index.ts')

const program = `
import { definePlugin, route } from ${JSON.stringify(sdk)}
import { run } from ${JSON.stringify(runner)}
const plugin = definePlugin({
  name: 'shop',
  api: 'shop.example.com/v1',
  console: [
    route('GET /slow', {}, async () => { await new Promise((done) => setTimeout(done, 300)); return { done: true } }),
    route('POST /thrown', {}, () => { setTimeout(() => { throw new Error('thrown outside of a request') }) }),
    route('POST /forgotten', {}, () => { void Promise.reject(new Error('nobody caught this')) }),
  ],
})
await run(plugin)
`
const base = 'http://plugin/apis/console.api.shop.example.com/v1'

/** Starts a plugin in its own process, as a host does. */
interface Started extends AsyncDisposable {
  readonly child: ChildProcess
  readonly stderr: () => string
  readonly ask: (method: string, url: string) => Promise<Response>
}

async function start(document: object | undefined, protocol = '1'): Promise<Started> {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-run-'))
  const [entry, listen] = [join(directory, 'plugin.ts'), join(directory, 'plugin.sock')]
  writeFileSync(entry, program)
  const child = spawn(process.execPath, ['--conditions=@pergola/source', entry], {
    env: { PATH: process.env['PATH'], HOME: directory, TZ: 'UTC', ...(document && { PERGOLA_PROTOCOL: protocol }) },
    stdio: ['ignore', 'ignore', 'pipe', document ? 'pipe' : 'ignore'],
  })
  let stderr = ''
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)))
  const pipe = child.stdio[3] as NodeJS.WritableStream | null
  // The process may exit before it has read its input.
  pipe?.on('error', () => {})
  pipe?.end(JSON.stringify({ listen, host: '/nowhere', ...document }))
  const fetch = createHostFetch(listen)
  const ask = (method: string, url: string) => fetch(url, { method, headers: { authorization: 'Bearer pgp_1' } })
  return {
    child,
    stderr: () => stderr,
    ask,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
      rmSync(directory, { recursive: true })
    },
  }
}

async function untilHealthy({ ask, stderr }: Started): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    const response = await ask('GET', 'http://plugin/pergola/health').catch(() => undefined)
    if (response?.status === 200) return void (await response.text())
    await sleep(10)
  }
  throw new Error(`the plugin is not healthy: ${stderr()}`)
}

test('a plugin reads its start document, answers requests, and on SIGTERM finishes running requests and exits', async () => {
  await using plugin = await start({ token: 'pgp_1' })
  await untilHealthy(plugin)
  const slow = plugin.ask('GET', `${base}/slow`)
  await sleep(100)
  const exited = once(plugin.child, 'exit')
  plugin.child.kill('SIGTERM')
  plugin.child.kill('SIGTERM')
  expect(await (await slow).json()).toEqual({ done: true })
  expect(await exited).toEqual([0, null])
})

test('an unhandled rejection is logged as such, with its position, and ends nothing', async () => {
  await using plugin = await start({ token: 'pgp_1' })
  await untilHealthy(plugin)
  expect((await plugin.ask('POST', `${base}/forgotten`)).status).toBe(204)
  await expect
    .poll(plugin.stderr)
    .toContain('a promise was rejected and nobody awaited it; write await before the call')
  await expect.poll(plugin.stderr).toMatch(/nobody caught this[^]*plugin\.ts:\d+/)
  expect((await plugin.ask('GET', `${base}/slow`)).status).toBe(200)
})

test('an uncaught exception ends the process', async () => {
  await using plugin = await start({ token: 'pgp_1' })
  await untilHealthy(plugin)
  const exited = once(plugin.child, 'exit')
  await plugin.ask('POST', `${base}/thrown`).catch(() => {})
  expect(await exited).toEqual([1, null])
  expect(plugin.stderr()).toContain('thrown outside of a request')
})

test.each([
  ['without a host', undefined, 'this plugin was started without a host'],
  ['with an incomplete start document', { token: '' }, 'lacks token, listen or host'],
  ['by a host with another protocol version', { token: 'pgp_1' }, 'uses protocol 2', '2'],
])('started %s, a plugin prints the reason and exits', async (_, document, words, protocol?: string) => {
  await using plugin = await start(document, protocol)
  expect(await once(plugin.child, 'exit')).toEqual([1, null])
  await expect.poll(plugin.stderr).toContain(words)
})
