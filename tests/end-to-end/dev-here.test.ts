import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { dev } from '../../packages/cli/src/dev/dev.ts'
import { openSqliteStore } from '../../packages/server/src/store/sqlite/sqlite-store.ts'
import { createPlugin } from '../../packages/create-pergola-plugin/src/create-plugin.ts'

/** Runs `pergola dev` in the process of the test, so that its output and its coverage can be read. */
const repository = join(import.meta.dirname, '../..')
const parent = mkdtempSync(join(tmpdir(), 'pergola-dev-here-'))
afterAll(() => rmSync(parent, { recursive: true }))
afterEach(() => void vi.restoreAllMocks())
const patience = { timeout: 60_000, interval: 50 }
const options = {
  port: 0,
  inspectPort: undefined,
  endsWithParent: false,
  reset: true,
  verbose: true,
  conditions: ['@pergola/source'],
  version: '0.9.0',
}

function printed() {
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      texts[name] += String(text)
      return true
    })
  }
  return texts
}

function newProject(name: string) {
  const folder = join(parent, name)
  createPlugin(folder, { name, group: `${name}.example.com`, version: '0.9.0' })
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const file = join(folder, 'src/plugin.ts')
  return { folder, code: readFileSync(file, 'utf8'), save: (text: string) => writeFileSync(file, text) }
}

test('starts the plugin, reloads on save, keeps running after a broken save, and stops', async () => {
  const { folder, code, save } = newProject('here')
  const texts = printed()
  const stop = new AbortController()
  const ended = dev({ ...options, folder, stopping: stop.signal })
  const says = async (words: RegExp) => {
    await expect.poll(() => texts.stdout + texts.stderr, patience).toMatch(words)
  }
  await says(/ready in \d+\.\d s · SQLite \.pergola\/dev\.db/)
  await says(/ here {2}started in \d+ ms: 1 model/)
  save(code.replace('open: await', 'open: 7 + await'))
  await says(/src\/plugin\.ts saved, reloaded in \d+ ms/)
  save(`${code}const x = ;\n`)
  await says(/src\/plugin\.ts:\d+:11 Unexpected token[^]*keeps answering/)
  save(code.replace("'spec.state'", "'spec.staet'"))
  await says(/"spec\.staet" is not in the schema/)
  stop.abort()
  expect(await ended).toBe(0)
})

test('prints a link that opens the console signed in, and another one when it is opened again', async () => {
  const { folder } = newProject('link')
  const texts = printed()
  const stop = new AbortController()
  const ended = dev({ ...options, verbose: false, folder, stopping: stop.signal })
  const link = (line: string) =>
    new RegExp(String.raw`${line} +(http:\S+)/auth/login#([0-9a-f]{32})`).exec(texts.stdout)
  await expect.poll(() => link('console'), patience).toBeTruthy()
  const [, url = '', code = ''] = link('console') ?? []
  const open = (sent: string) =>
    fetch(`${url}/auth/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: url },
      body: new URLSearchParams({ code: sent }),
    })
  const page = await (await fetch(`${url}/auth/login`)).text()
  expect(page).toContain('history.replaceState')
  const signedIn = await open(code)
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/console'])

  const again = await open(code)
  expect([again.status, again.headers.get('set-cookie')]).toEqual([401, null])
  expect(await again.text()).toContain('open the newest link that pergola dev has printed')
  await expect.poll(() => link('a new link to sign in:'), patience).toBeTruthy()
  const [, , next = ''] = link('a new link to sign in:') ?? []
  expect((await open(code)).status).toBe(401)
  expect((await open(next)).status).toBe(303)
  expect(texts.stdout.match(/a new link/g)).toHaveLength(1)
  stop.abort()
  expect(await ended).toBe(0)
})

test('waits until the process that has the database has stopped', async () => {
  const { folder } = newProject('again')
  const texts = printed()
  mkdirSync(join(folder, '.pergola'))
  const other = openSqliteStore(join(folder, '.pergola/dev.db'))
  const stop = new AbortController()
  const ended = dev({ ...options, folder, reset: false, stopping: stop.signal })
  await expect.poll(() => texts.stdout, patience).toMatch(/host {2}the database is in use; waiting/)
  await other[Symbol.asyncDispose]()
  await expect.poll(() => texts.stdout, patience).toMatch(/ready in/)
  stop.abort()
  expect(await ended).toBe(0)
})

test('without a plugin or a free port it prints the reason and exits', async () => {
  const texts = printed()
  expect(await dev({ ...options, folder: parent })).toBe(2)
  expect(texts.stderr).toContain('run this in the folder of a plugin')
  const { folder } = newProject('taken')
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const { signal } = new AbortController()
  expect(await dev({ ...options, folder, port, stopping: signal })).toBe(1)
  expect(texts.stderr).toMatch(/pergola dev cannot start: .*--port <port>/)
  taken.close()
})
