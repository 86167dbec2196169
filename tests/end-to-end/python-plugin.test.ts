import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../conformance/connecting.ts'
import { startHost, type PluginHost } from './plugin-host.ts'
import { packageOf } from './plugin-package.ts'

const folder = join(import.meta.dirname, 'python-plugin')
const letters = '/apis/letters.example.com/v1/letters'
/** The PATH of a plugin process. */
const hasPython = ['/usr/local/bin', '/usr/bin', '/bin'].some((path) => existsSync(join(path, 'python3')))

/** The host starts `plugin.js`; this one starts the Python program with the same descriptors and exits with it. */
function pythonPackage(): Buffer {
  const manifest = readFileSync(join(folder, 'plugin.json'), 'utf8')
  const { definition } = JSON.parse(manifest) as { readonly definition: object }
  const words = ['-c', readFileSync(join(folder, 'plugin.py'), 'utf8'), JSON.stringify(definition)]
  const launcher = `
    import { spawn } from 'node:child_process'
    const child = spawn('python3', ${JSON.stringify(words)}, { stdio: ['ignore', 'inherit', 'inherit', 3] })
    process.on('SIGTERM', () => child.kill('SIGTERM'))
    child.on('exit', (code) => process.exit(code ?? 1))`
  return packageOf({ 'plugin.json': manifest, 'plugin.js': launcher })
}

describe.skipIf(!hasPython)('a plugin in Python, without an SDK', () => {
  let host: PluginHost
  beforeAll(async () => {
    host = await startHost('SQLite')
    await host.install(pythonPackage())
    await host.phaseIs('letters', { phase: 'Started' })
  })
  afterAll(() => host[Symbol.asyncDispose]())

  const write = (name: string, text: string) =>
    host.send(`POST ${letters}`, { token: host.admin, body: { metadata: { name }, spec: { text } } })

  test('computes indexes and rejects writes', async () => {
    expect(await write('milk', 'Buy milk')).toMatchObject({ status: 201 })
    expect(await write('bread', 'Buy bread')).toMatchObject({ status: 201 })
    const empty = { status: 422, body: { errors: [{ field: 'spec.text', message: 'is empty' }] } }
    expect(await write('nothing', '')).toMatchObject(empty)
    const found = await host.send(`GET ${letters}?fieldSelector=words%3Dmilk`, { token: host.admin })
    expect(found.body['items']).toMatchObject([{ metadata: { name: 'milk' } }])
  })

  test('answers a custom API with data that it reads from the host as the plugin', async () => {
    const path = '/apis/console.api.letters.example.com/v1/letters/-/count'
    expect(await host.send(`GET ${path}`, { token: host.admin })).toEqual({
      status: 200,
      body: { count: 2, caller: 'admin' },
    })
    expect(await host.send(`GET ${path}`)).toMatchObject({ status: 401 })
  })

  test('accepts a WebSocket', async () => {
    const path = '/apis/console.api.letters.example.com/v1/letters/-/talk'
    const opened = await connect(`${host.url}${path}`, { token: host.admin })
    opened.send('hello')
    expect(await opened.next()).toBe('HELLO')
    opened.close()
    expect(await opened.closed).toBe('1000')
    using longWinded = await connect(`${host.url}${path}`, { token: host.admin })
    longWinded.send('x'.repeat(200))
    expect(await longWinded.closed).toBe('1011 the plugin letters has exited')
    await expect(connect(`${host.url}${path}`)).rejects.toMatchObject({ status: 401 })
  })

  test('writes its log, and stops when it is disabled', async () => {
    const logs = await host.send('GET /apis/console.api.platform.run/v1alpha1/plugins/letters/logs', {
      token: host.admin,
    })
    expect(JSON.stringify(logs.body)).toContain('letters is up')
    const disabled = { spec: { enabled: false } }
    await host.send('PATCH /apis/plugin.platform.run/v1alpha1/plugins/letters', {
      token: host.admin,
      body: disabled,
      type: 'application/merge-patch+json',
    })
    await host.phaseIs('letters', { phase: 'Disabled' })
  })
})
