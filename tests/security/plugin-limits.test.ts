import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createAccounts } from '../../packages/server/src/plugins/process/accounts.ts'
import { roleOf } from '../conformance/people.ts'
import { startHost, type PluginHost } from '../end-to-end/plugin-host.ts'
import { pluginPackage, todoDefinition } from '../end-to-end/plugin-package.ts'
import { sendRaw } from './attack.ts'

const group = 'api.todo.example.com'
const path = `/apis/${group}/v1alpha1/echo`
const logs = '/apis/console.api.platform.run/v1alpha1/plugins/todo/logs'
const isolations = createAccounts('auto').isolation === 'uid' ? (['uid', 'shared'] as const) : (['shared'] as const)

type Env = Readonly<Record<string, string>>

/** A host with a plugin whose API runs the code; `request`, `response` and `childProcess` are in scope. */
async function hostWith(code: string, env: Env = {}): Promise<PluginHost> {
  const host = await startHost('SQLite', undefined, { env })
  const routes = (['GET', 'POST'] as const).map((method) => ({ audience: 'public' as const, method, path }))
  const answer = `async (request, response) => {
    const childProcess = await import('node:child_process')
    response.setHeader('content-type', 'application/json')
    ${code}
  }`
  expect(await host.install(pluginPackage({ definition: { ...todoDefinition, routes }, answer }))).toMatchObject({
    status: 201,
  })
  await host.phaseIs('todo', { phase: 'Started' })
  return host
}

async function logOf(host: PluginHost) {
  const { body } = await host.send(`GET ${logs}`, { token: host.admin })
  return body as unknown as { readonly items: readonly string[]; readonly last: number }
}

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
}

describe('SQLite', () => {
  describe('limits of memory and processes', () => {
    /** Bounded in size, number and time, so that nothing outlives a failed test for long. */
    const hog = `const held = Array.from({ length: 30 }, () => Buffer.alloc(8e6, 1)); setTimeout(() => held, 60_000)`
    const ways: readonly (readonly [what: string, code: string, env: Env, says: RegExp])[] = [
      [
        'memory of a child in another session',
        `childProcess.spawn(process.execPath, ['-e', ${JSON.stringify(hog)}], { detached: true, stdio: 'ignore' })`,
        { PERGOLA_PLUGINS_MEMORY_LIMIT: '128' },
        /^pergola: it used \d+ MiB of memory; the limit is 128;/,
      ],
      [
        'many children, each in another session',
        `for (let at = 0; at < 40; at++) childProcess.spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })`,
        { PERGOLA_PLUGINS_PROCESS_LIMIT: '8', PERGOLA_PLUGINS_MEMORY_LIMIT: '4096' },
        /^pergola: it had \d+ processes; the limit is 8;/,
      ],
      [
        'many children in other sessions whose parents have exited',
        `childProcess.spawn('/bin/sh', ['-c', 'for at in $(seq 40); do setsid sleep 60 & done'], { detached: true, stdio: 'ignore' })`,
        { PERGOLA_PLUGINS_PROCESS_LIMIT: '8', PERGOLA_PLUGINS_MEMORY_LIMIT: '4096' },
        /^pergola: it had \d+ processes; the limit is 8;/,
      ],
    ]
    for (const isolation of isolations) {
      for (const [what, code, env, says] of ways) {
        test(`${what}, with ${isolation}`, async () => {
          await using host = await hostWith(`${code}; response.end('{}')`, {
            ...env,
            PERGOLA_PLUGINS_ISOLATION: isolation,
          })
          await host.send(`GET ${path}`, { token: host.admin })
          await expect.poll(async () => (await logOf(host)).items).toContainEqual(expect.stringMatching(says))
        })
      }

      test(`a child in another session outlives a disabled plugin, with ${isolation}`, async () => {
        const code = `
          const line = 'setsid sleep 60 >/dev/null 2>&1 & echo $!'
          response.end(childProcess.execFileSync('/bin/sh', ['-c', line]))`
        await using host = await hostWith(code, { PERGOLA_PLUGINS_ISOLATION: isolation })
        const { body } = await host.send(`GET ${path}`, { token: host.admin })
        const pid = Number(body)
        expect(isRunning(pid)).toBe(true)
        await host.send('PATCH /apis/plugin.platform.run/v1alpha1/plugins/todo', {
          token: host.admin,
          body: { spec: { enabled: false } },
          type: 'application/merge-patch+json',
        })
        await expect.poll(() => isRunning(pid)).toBe(false)
      })
    }
  })

  describe('floods of output', () => {
    test('lines of a plugin fill the log', async () => {
      const lines = 4_000_000
      const code = `
        childProcess.spawn('/bin/sh', ['-c', 'yes "" | head -n ${lines}; echo over'], { stdio: 'inherit' })
        response.end('{}')`
      await using host = await hostWith(code)
      await host.send(`GET ${path}`, { token: host.admin })
      const isToldOrOver = async () => (await logOf(host)).items.some((line) => /^pergola: dropped |^over$/.test(line))
      await expect.poll(isToldOrOver).toBe(true)
      // Whatever the speed: at 200 lines a second, 40,000 lines take longer than the poll may.
      expect((await logOf(host)).last).toBeLessThan(40_000)
    })
  })

  describe('slow uploads', () => {
    /** Sends the headers and a part of the body; the plugin answers only to the whole. */
    const trickle = async (url: string, from: string): Promise<ClientRequest> => {
      const { hostname, port } = new URL(url)
      const headers = { 'content-length': 1000 }
      const request = httpRequest({ hostname, port, method: 'POST', path, agent: false, localAddress: from, headers })
      request.on('error', () => {})
      request.write('x')
      await once(request, 'socket')
      return request
    }
    const opened = async () => {
      const read = `console.log('begun'); for await (const _ of request);`
      const host = await hostWith(`if (request.method === 'POST') { ${read} } response.end('{}')`)
      const rules = [{ apiGroups: [group], resources: ['echo'], verbs: ['list', 'create'] }]
      const body = roleOf('open', { rules, aggregatesTo: ['anonymous'] })
      await host.send('POST /api/v1alpha1/roles', { token: host.admin, body })
      const get = async (from: string) => (await sendRaw(host.url, { method: 'GET', target: path, from })).status
      await expect.poll(() => get('127.0.0.9')).toBe(200)
      return { host, get }
    }
    const answerOf = async (request: ClientRequest) => {
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      response.resume()
      return { status: response.statusCode, retryAfter: Number(response.headers['retry-after']) }
    }

    test('one address occupies all connections to a plugin', async () => {
      const { host, get } = await opened()
      await using _ = host
      const slow = await Promise.all(Array.from({ length: 140 }, () => trickle(host.url, '127.0.0.1')))
      const answers = Promise.all(slow.map(answerOf))
      // Answered while the uploads are open: they end below.
      expect(await get('127.0.0.9')).toBe(200)
      expect((await host.send(`GET ${path}`, { token: host.admin })).status).toBe(200)
      for (const request of slow) request.end('x'.repeat(999))
      const all = await answers
      expect(all.filter(({ status }) => status === 200)).toHaveLength(64)
      const refused = all.filter(({ status }) => status === 429)
      expect(refused).toHaveLength(76)
      expect(refused.every(({ retryAfter }) => retryAfter > 0)).toBe(true)
    })

    test('many addresses occupy all connections, and others wait for ever', async () => {
      const { host } = await opened()
      await using _ = host
      const from = Array.from({ length: 256 }, (__, at) => `127.0.0.${1 + Math.floor(at / 64)}`)
      const slow = await Promise.all(from.map((address) => trickle(host.url, address)))
      const begun = async () => (await logOf(host)).items.filter((line) => line === 'begun')
      await expect.poll(begun).toHaveLength(256)
      const { status, headers } = await sendRaw(host.url, { method: 'GET', target: path, from: '127.0.0.9' })
      expect(status).toBe(503)
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      for (const request of slow) request.destroy()
    })
  })

  describe.runIf(isolations.length > 1)('two hosts on one machine', () => {
    test('a plugin signals a plugin of another host', async () => {
      const code = `
        const other = new URL(request.url, 'http://x').searchParams.get('pid')
        try {
          if (other) process.kill(Number(other), 0)
          response.end(JSON.stringify({ pid: process.pid }))
        } catch ({ code }) {
          response.end(JSON.stringify({ code }))
        }`
      await using one = await hostWith(code)
      await using two = await hostWith(code)
      const { body } = await one.send(`GET ${path}`, { token: one.admin })
      const tried = await two.send(`GET ${path}?pid=${Number(body['pid'])}`, { token: two.admin })
      expect(tried.body).toEqual({ code: 'EPERM' })
    })
  })
})
