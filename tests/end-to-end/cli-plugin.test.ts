import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation } from './cli-installation.ts'
import { startPergola } from './pergola-process.ts'
import { pluginPackage, todoDefinition } from './plugin-package.ts'

let installation: Installation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(() => installation[Symbol.asyncDispose]())

const settings = {
  type: 'object',
  properties: { webhook: { type: 'string' }, size: { type: 'integer' }, token: { type: 'string', writeOnly: true } },
  required: ['webhook'],
}
const definition = { ...todoDefinition, settings }
const smtp = { apiGroups: [''], resources: ['secrets'], resourceNames: ['smtp'], verbs: ['get'] }
const files = {
  'todo-1.0.0.tgz': pluginPackage({ definition }),
  'todo-1.1.0.tgz': pluginPackage({ definition: { ...definition, permissions: [smtp] }, version: '1.1.0' }),
  'broken-1.0.0.tgz': pluginPackage({
    definition: { ...definition, name: 'broken', groups: ['b.example.com'], models: [], routes: [] },
    files: { 'plugin.js': 'process.exit(7)' },
  }),
}

test('a plugin is installed, listed, upgraded, rolled back and uninstalled', async () => {
  const { done, run } = installation
  const plan = await done(['plugin', 'install', 'todo-1.0.0.tgz', '--plan'], { files })
  expect(plan).toMatch(/^ {2}todo 1\.0\.0\n {2}open to everybody /)
  expect(plan).toMatch(/ {2}a plan, nothing has been changed\n {2}next {6}pergola plugin install todo-1\.0\.0\.tgz\n$/)
  expect(await done(['plugin', 'list', '-o', 'name'])).not.toContain('todo')
  expect(await run(['plugin', 'install', 'todo-1.0.0.tgz'])).toMatchObject({
    code: 2,
    stderr: 'cannot prompt without a terminal; add --yes, or --plan to see what it would do\n',
  })
  const summary = plan.split('\n').filter((line) => !/a plan|next/.test(line))
  const installed = await done(['plugin', 'install', 'todo-1.0.0.tgz', '--yes'])
  expect(installed.split('\n').slice(0, summary.length - 1)).toEqual(summary.slice(0, -1))
  expect(installed).toMatch(/\n {2}1\.0\.0 started on 1 of 1 {2}\d+\.\d s\n {2}next {6}pergola plugin settings todo/)
  expect(await done(['plugin', 'list'])).toMatch(/\n {2}todo +1\.0\.0 +Started +1 of 1\n/)
  // The list also has the plugins that come with the host.
  const listed = JSON.parse(await done(['plugin', 'list', '-o', 'json'])) as { readonly items: readonly object[] }
  expect(listed.items).toContainEqual(
    expect.objectContaining({ kind: 'Plugin', metadata: expect.objectContaining({ name: 'todo' }) as object }),
  )
  expect(JSON.parse(await done(['plugin', 'show', 'todo', '-o', 'json']))).toMatchObject({ kind: 'Plugin' })
  expect(await done(['plugin', 'install', 'todo-1.0.0.tgz'])).toContain('is installed already')
  expect((await run(['plugin', 'rollback', 'todo', '--yes'])).stderr).toContain('no version of todo before 1.0.0')
  expect(await done(['plugin', 'disable', 'todo', '--plan'])).toContain('nothing has been changed')
  expect(await done(['plugin', 'show', 'todo'])).toMatch(/ {2}state {5}Started\n/)
  expect(await done(['plugin', 'logs', 'todo'])).toContain('todo is up\n')
  expect(await run(['plugin', 'install', 'todo-1.1.0.tgz', '--yes'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'todo 1.0.0 is installed already\n  next      pergola plugin upgrade todo-1.1.0.tgz --plan\n',
  })

  const upgrade = await done(['plugin', 'upgrade', 'todo-1.1.0.tgz', '--plan'])
  expect(upgrade).toMatch(/^ {2}todo 1\.0\.0 -> 1\.1\.0\n/)
  expect(upgrade).toContain("pergola plugin upgrade todo-1.1.0.tgz --approve 'get secrets smtp'\n")
  const unapproved = await run(['plugin', 'upgrade', 'todo-1.1.0.tgz', '--approve', 'something else'])
  expect(unapproved).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not approved: get secrets smtp') as string,
  })
  expect(await run(['plugin', 'upgrade', 'todo-1.1.0.tgz', '--yes'])).toMatchObject({
    code: 1,
    stderr: "not approved: get secrets smtp\n  next      add --approve 'get secrets smtp'\n",
  })
  expect(await done(['plugin', 'upgrade', 'todo-1.1.0.tgz', '--approve', 'get secrets smtp'])).toMatch(
    /\n {2}1\.1\.0 started on 1 of 1 .*\n {2}back to 1\.0\.0: {2}pergola plugin rollback todo /,
  )
  expect(await done(['plugin', 'rollback', 'todo', '--plan'])).toContain('nothing has been changed')
  expect(await done(['plugin', 'rollback', 'todo', '--yes'])).toContain('  1.0.0 started on 1 of 1\n')
  const { folder: directory, env } = installation
  await using following = startPergola({ args: ['plugin', 'logs', 'todo', '-f'], directory, env })
  const times = () => following.stdout().split('todo is up\n').length - 1
  await expect.poll(times).toBeGreaterThan(0)
  const before = times()
  expect(await done(['plugin', 'restart', 'todo'])).toMatch(
    /^ {2}plugin todo restarted, started on 1 of 1\n {2}next {6}pergola plugin logs todo\n$/,
  )
  await expect.poll(times).toBe(before + 1)
  expect(await done(['plugin', 'disable', 'todo'])).toContain('plugin todo disabled')
  expect((await run(['plugin', 'restart', 'todo'])).stderr).toContain('todo is disabled, and nothing of it runs')
  expect(await done(['plugin', 'enable', 'todo'])).toContain('plugin todo enabled, started on 1 of 1')
  expect(await done(['plugin', 'uninstall', 'todo', '--plan'])).toContain('nothing has been changed')
  expect(await done(['plugin', 'uninstall', 'todo', '--yes'])).toContain('plugin todo uninstalled: it has left 0 todos')
  expect(await done(['plugin', 'uninstall', 'todo', '--purge', '--yes'])).toContain('plugin todo purged')
  expect(await run(['plugin', 'show', 'todo'])).toMatchObject({ code: 1, stdout: '' })
  expect((await run(['plugin', 'upgrade', 'todo-1.1.0.tgz'])).stderr).toContain('pergola plugin install todo-1.1.0.tgz')
})

test('settings can be shown and set; secret settings are not accepted as arguments and never shown', async () => {
  const { done, run } = installation
  await done(['plugin', 'install', 'todo-1.0.0.tgz', '--yes'], { files: { ...files, secret: 'a very secret token' } })
  expect(await done(['plugin', 'settings', 'todo'])).toContain(
    'webhook must be set: pergola plugin settings todo webhook=',
  )
  expect(await done(['plugin', 'settings', 'todo', 'webhook=x', '--plan'])).toContain('nothing has been changed')
  const set = await done([
    'plugin',
    'settings',
    'todo',
    'webhook=https://a.example',
    'size=7',
    '--secret-file',
    'token=secret',
  ])
  expect(set.split('\n').slice(0, 4)).toEqual([
    '  SETTING  VALUE',
    '  webhook  https://a.example  required',
    '  size     7',
    '  token    (set)              secret',
  ])
  expect(await done(['plugin', 'settings', 'todo', '--unset', 'size', '-o', 'json'])).not.toContain('very secret')
  expect(await run(['plugin', 'settings', 'todo', 'token=abc'])).toMatchObject({
    code: 2,
    stderr: 'token is secret, and other users can see a command line; use --set-secret token\n',
  })
  expect(await run(['plugin', 'settings', 'todo', 'size=seven'])).toMatchObject({ code: 2 })
  expect((await run(['plugin', 'settings', 'todo', 'wehook=x'])).stderr).toContain('did you mean webhook?')
})

test('install reports a package that does not start, and a file that is not a package', async () => {
  const { run } = installation
  const ended = await run(['plugin', 'install', 'broken-1.0.0.tgz', '--yes'], { files })
  expect(ended).toMatchObject({ code: 1 })
  expect(ended.stderr).toMatch(
    /^broken 1\.0\.0 is .*\nit is started again in \d+ s\n {2}next {6}pergola plugin logs broken\n$/,
  )
  expect(await run(['plugin', 'install', 'password', '--yes'])).toMatchObject({
    code: 2,
    stderr: 'password is no package of a plugin; make one with pergola plugin pack\n',
  })
})

test('doctor reports the state of the server and the next step', async () => {
  const { run, url, env } = installation
  const sick = await run(['doctor'])
  expect(sick).toMatchObject({ code: 1, stderr: '' })
  expect(sick.stdout).toMatch(/^ {2}http:.*\n {2}ok {6}accepting {5}requests, by version \d/)
  expect(sick.stdout).toMatch(/\n {2}ok {6}database {6}SQLite /)
  expect(sick.stdout).toMatch(/\n {2}ok {6}version {7}\d/)
  expect(sick.stdout).toMatch(/\n {2}ok {6}clock {9}the same as on this machine\n/)
  expect(sick.stdout).toMatch(
    /\n {2}failed {2}plugin broken {2}1\.0\.0 is .*\n +pergola plugin show broken; pergola plugin logs broken/,
  )
  const stranger = await run(['doctor', '--server', url, '-o', 'json'], {
    env: { ...env, XDG_CONFIG_HOME: '/nowhere' },
  })
  expect(stranger.code).toBe(0)
  expect(JSON.parse(stranger.stdout)).toMatchObject({ server: url })
  expect((await run(['doctor', '--server', 'http://127.0.0.1:9'])).code).toBe(3)
})
