import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createAccounts } from '../../packages/server/src/plugins/process/accounts.ts'
import { startHost, type PluginHost } from './plugin-host.ts'
import { pluginPackage, todoDefinition } from './plugin-package.ts'

vi.setConfig({ hookTimeout: 60_000, testTimeout: 60_000 })

/** A plugin under a separate account can access neither the host nor other plugins. */
const echo = '/apis/api.todo.example.com/v1alpha1/echo'
const directory = mkdtempSync(join(tmpdir(), 'pergola-isolation-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** Runs the operation from the query and returns the outcome. */
const answer = `async (request, response) => {
  const fs = await import('node:fs')
  const net = await import('node:net')
  const [what, value] = new URL(request.url, 'http://x').search.slice(1).split('=').map(decodeURIComponent)
  const ways = {
    read: () => fs.readFileSync(value).length + ' bytes',
    list: () => fs.readdirSync(value).length + ' names',
    write: () => fs.writeFileSync(value, 'x') ?? 'written',
    signal: () => process.kill(Number(value), 0) && 'can be signalled',
    connect: () => new Promise((resolve) => net.connect(value, () => resolve('connected')).on('error', (error) => resolve(error.code))),
    who: () => [process.getuid(), process.getgid(), process.getgroups().join('+'), process.cwd()].join(' '),
  }
  try {
    response.end(JSON.stringify({ said: await ways[what]() }))
  } catch (error) {
    response.end(JSON.stringify({ said: error.code }))
  }
}`

/** Starts a process in a new session, whose parent exits. */
const leaving = `async (request, response) => {
  if (request.url.endsWith('?exit')) return process.exit(3)
  const { execFileSync } = await import('node:child_process')
  const pid = Number(execFileSync('/bin/sh', ['-c', 'setsid sleep 60 >/dev/null 2>&1 & echo $!']))
  response.end(JSON.stringify({ pid }))
}`

describe.runIf(createAccounts('auto').isolation === 'uid')('under a separate account', () => {
  test('a plugin cannot access the host, its database or other plugins', async () => {
    await using host: PluginHost = await startHost('SQLite', `sqlite:${join(directory, 'data.db')}`)
    const other = { ...todoDefinition, name: 'other', groups: ['other.example.com'], models: [], routes: [] }
    await host.install(pluginPackage({ answer }))
    await host.install(pluginPackage({ definition: other }))
    await host.phaseIs('todo', { phase: 'Started' })
    await host.phaseIs('other', { phase: 'Started' })
    const tries = async (what: string, value = '') => {
      const { body } = await host.send(`GET ${echo}?${what}=${encodeURIComponent(value)}`, { token: host.admin })
      return body['said'] as unknown as string
    }
    const [uid, gid, groups, cwd = ''] = (await tries('who')).split(' ')
    expect(Number(uid)).toBeGreaterThan(60_000)
    expect(Number(gid)).toBeGreaterThan(60_000)
    expect(groups).toBe(gid)

    expect(await tries('read', `/proc/${process.pid}/environ`)).toBe('EACCES')
    expect(await tries('read', `/proc/${process.pid}/maps`)).toBe('EACCES')
    expect(await tries('signal', String(process.pid))).toBe('EPERM')
    for (const file of ['data.db', 'data.db-wal']) expect(await tries('read', join(directory, file))).toBe('EACCES')

    const folders = readdirSync(tmpdir()).filter((name) => name.startsWith('pergola-other-'))
    expect(folders.length).toBeGreaterThanOrEqual(2)
    for (const name of folders) {
      expect(await tries('list', join(tmpdir(), name))).toBe('EACCES')
      expect(await tries('connect', join(tmpdir(), name, 'plugin.sock'))).toBe('EACCES')
    }
    expect(await tries('write', join(cwd, 'note'))).toBe('written')
    expect(await tries('write', join(cwd, '..', 'package', 'plugin.js'))).toBe('EACCES')
    const { status } = await fetch(`${host.url}/readyz?verbose`, { headers: { authorization: `Bearer ${host.admin}` } })
    expect(status).toBe(200)
  })

  test('processes that a plugin started are killed with it, even in another session', async () => {
    await using host: PluginHost = await startHost('SQLite')
    await host.install(pluginPackage({ answer: leaving }))
    await host.phaseIs('todo', { phase: 'Started' })
    const { body } = await host.send(`GET ${echo}`, { token: host.admin })
    const pid = Number(body['pid'])
    expect(isRunning(pid)).toBe(true)
    await host.send(`GET ${echo}?exit`, { token: host.admin })
    await expect.poll(() => isRunning(pid)).toBe(false)
  })
})

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`)
}
