import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellWords } from '../../packages/cli/src/completion/shell-words.ts'
import { examples } from '../../packages/cli/src/examples.ts'
import { startInstallation, type Installation } from './cli-installation.ts'
import { todo } from './cli-todos.ts'
import { packedProject } from './packed-source.ts'
import { pluginPackage, todoDefinition } from './plugin-package.ts'
import { startPergola } from './pergola-process.ts'

/** They need the folder of a plugin: `plugin-pack.test.ts`, `dev-here.test.ts` and `dev.proof.test.ts` run these commands. */
const elsewhere = new Set(['plugin pack', 'dev'])
const done = new Set<string>()

const text = { type: 'string' }
const schema = {
  properties: {
    spec: {
      type: 'object',
      properties: {
        title: text,
        state: { enum: ['open', 'done'], default: 'open' },
        owner: text,
        due: { ...text, format: 'date-time' },
      },
    },
  },
}
const [model] = todoDefinition.models
const models = model
  ? [{ ...model, versions: [{ name: 'v1alpha1', schema }], indexes: [{ name: 'spec.state' }, { name: 'spec.due' }] }]
  : []
const settings = { type: 'object', properties: { webhook: text } }
const definition = { ...todoDefinition, models, settings }
const smtp = { apiGroups: [''], resources: ['secrets'], resourceNames: ['smtp'], verbs: ['get'] }
const view = {
  apiVersion: 'v1alpha1' as const,
  kind: 'Role' as const,
  metadata: { name: 'todo-view', labels: { 'platform.run/role-template': 'true' } },
  rules: [{ apiGroups: ['todo.example.com'], resources: ['todos'], verbs: ['get', 'list', 'watch'] }],
}
const roles = { 'extensions/roles.yaml': JSON.stringify(view) }

let installation: Installation
const other = mkdtempSync(join(tmpdir(), 'pergola-examples-'))
beforeAll(async () => {
  installation = await startInstallation({ isSignedIn: false })
})
afterAll(async () => {
  await installation[Symbol.asyncDispose]()
  rmSync(other, { recursive: true })
})

/** Runs an example; the server and the files of the text are those of the test. */
async function runExample(line: string, token = ''): Promise<string> {
  done.add(line)
  const host = new URL(installation.url).host
  const there = line
    .replace('https://pergola.example.com', installation.url)
    .replace('pergola.example.com', host)
    .replace('localhost:8090', host)
    .replace(' > token', '')
    .replace('pat-x7k2p9q1', token)
    .replace('/etc/pergola/', `${installation.server.directory}/`)
  return installation.done(shellWords(there).slice(1))
}

async function runAll(...commands: readonly string[]): Promise<void> {
  for (const command of commands) for (const line of examples[command] ?? []) await runExample(line)
}

const linesOf = (command: string): readonly string[] => examples[command] ?? []
/** The question of a command is asked in `cli-terminal.test.ts`; here it ends at the question. */
async function asks(line: string): Promise<void> {
  done.add(line)
  const { code, stderr } = await installation.run(
    shellWords(line.replace('https://pergola.example.com', installation.url)).slice(1),
  )
  expect([line, code, stderr]).toEqual([line, 2, expect.stringContaining('cannot prompt without a terminal')])
}

/** Ends the command once it has printed this. */
async function endless(
  line: string,
  shown: RegExp,
  wait: { readonly directory: string; readonly env: Readonly<Record<string, string>> },
): Promise<void> {
  done.add(line)
  const args = shellWords(line.replace('/etc/pergola/', '').replace('--port 8080', '--port 0')).slice(1)
  await using process = startPergola({ args, ...wait })
  await expect.poll(() => process.stdout() + process.stderr(), { timeout: 60_000 }).toMatch(shown)
  process.signal('SIGINT')
  await process.exited
}

test('examples of login and contexts', async () => {
  const [asking = '', named = '', byToken = ''] = linesOf('login')
  await asks(asking)
  const files = {
    'admin-password': readFileSync(join(installation.folder, 'password')),
    'new-password': 'correct horse battery 2',
  }
  await installation.run(['--version'], { files })
  await runExample(named)
  const token = await runExample(linesOf('token create')[1] ?? '')
  writeFileSync(join(installation.folder, 'token'), token)
  await runExample(byToken)
  await runAll('context list', 'context use', 'whoami')
  await runExample(linesOf('logout')[0] ?? '')
  await runExample(linesOf('logout')[1] ?? '')
  await runExample(byToken)
  await runAll('context remove')
  expect(await installation.done(['context', 'list', '-o', 'name'])).not.toContain('robot')
})

test('examples of plugins', async () => {
  const files = {
    'todo-1.0.0.tgz': pluginPackage({ definition, files: roles }),
    'todo-1.1.0.tgz': pluginPackage({
      definition: { ...definition, permissions: [smtp] },
      version: '1.1.0',
      files: roles,
    }),
    'events.tgz': await packedProject('examples/events'),
  }
  await installation.run(['--version'], { files })
  const plan = await installation.run(['plugin', 'install', 'events.tgz', '--plan'])
  const approvals = [...plan.stdout.matchAll(/--approve '?([^'\s]+(?: [^']+)?)'?/g)].flatMap(([, name = '']) => [
    '--approve',
    name,
  ])
  await installation.done(['plugin', 'install', 'events.tgz', '--yes', ...approvals])
  await runAll('plugin install', 'plugin upgrade', 'plugin rollback', 'plugin list', 'plugin show', 'plugin restart')
  await runAll('plugin disable', 'plugin enable', 'plugin limits', 'plugin settings', 'plugin run')
  const [logs = '', follow = ''] = linesOf('plugin logs')
  await runExample(logs)
  await endless(follow, /./, { directory: installation.folder, env: installation.env })
  expect(await installation.done(['plugin', 'show', 'todo'])).toMatch(/state +Started/)
})

test('examples of objects', async () => {
  const objects = ['milk', 'tea'].map((name) => todo(name, `title: ${name}\nowner: ann\ndue: 2030-03-01T10:00:00Z`))
  await installation.run(['--version'], { files: { 'milk.yaml': objects.join('') } })
  cpSync(join(installation.folder, 'milk.yaml'), join(installation.folder, 'objects/milk.yaml'))
  await runAll('apply', 'resources', 'explain', 'completion')
  const watching = linesOf('list').find((line) => line.includes('--watch')) ?? ''
  for (const line of linesOf('list')) if (line !== watching) await runExample(line)
  await endless(watching, /present +milk/, { directory: installation.folder, env: installation.env })
  await runAll('get', 'export', 'import', 'patch', 'label', 'annotate', 'who-can', 'codegen', 'replicas')
  const [remote = '', here = ''] = linesOf('doctor')
  await runExample(remote)
  // It finds that the server of this test uses the port and the database.
  await expect(runExample(here)).rejects.toThrow(/and this machine/)
  for (const line of linesOf('edit')) {
    done.add(line)
    expect((await installation.run(shellWords(line).slice(1), { env: { EDITOR: 'true' } })).code).toBe(0)
  }
  const [asking = '', ...others] = linesOf('delete')
  await asks(asking)
  for (const line of others) await runExample(line)
  const [pages = '', create = ''] = linesOf('api')
  await runExample(create.replace('-f spec.title=Milk', '-f spec.title=Milk -f spec.owner=ann'))
  done.add(create)
  await runExample(pages)
})

test('examples of users and roles', async () => {
  await runExample(linesOf('user add')[0]?.replace('--email', '--generate --email') ?? '')
  for (const line of linesOf('user add')) done.add(line)
  await runAll('user disable', 'user enable', 'user reset-password', 'user list', 'role list', 'grant')
  for (const line of linesOf('can-i')) {
    done.add(line)
    expect([0, 1]).toContain((await installation.run(shellWords(line).slice(1))).code)
  }
  await runAll('revoke', 'session list', 'session end')
  await runExample(linesOf('token create')[0] ?? '')
  await runAll('token list')
  const [name = ''] = (await installation.done(['token', 'list', '-o', 'name'])).split('\n')
  for (const line of linesOf('token delete')) await runExample(line, name)
  await runAll('plugin uninstall')
})

test('examples for the machine of a server', async () => {
  const { server } = installation
  // SQLite is for one process at a time.
  server.signal('SIGTERM')
  await server.exited
  const env = { PERGOLA_SERVER_STOP_DELAY: '0' }
  const run = async (line: string, directory: string) => {
    done.add(line)
    const args = shellWords(
      line.replace('/etc/pergola/', '').replace('/var/backups/pergola-2026-11-16', `${other}/backup`),
    ).slice(1)
    await using process = startPergola({ args, directory, env })
    const code = await process.exited
    return [line, code, code === 0 ? '' : process.stderr() + process.stdout()]
  }
  writeFileSync(join(server.directory, 'new-password'), 'correct horse battery 3')
  const commands = [
    'config check',
    'config print',
    'admin list',
    'admin reset-password',
    'admin create-token',
    'secrets keys',
    'secrets rotate',
  ]
  for (const line of commands.flatMap(linesOf)) expect(await run(line, server.directory)).toEqual([line, 0, ''])
  const backup = `pergola backup ${other}/backup`
  expect(await run(backup, server.directory)).toEqual([backup, 0, ''])
  for (const line of linesOf('backup verify')) expect(await run(line, server.directory)).toEqual([line, 0, ''])
  const fresh = mkdtempSync(join(other, 'fresh-'))
  writeFileSync(join(fresh, 'pergola.yaml'), '{}')
  for (const line of linesOf('serve')) await endless(line, /(api +|"url":")http/, { directory: fresh, env })
  for (const line of linesOf('setup-link')) expect(await run(line, fresh)).toEqual([line, 0, ''])
  const empty = mkdtempSync(join(other, 'empty-'))
  for (const line of linesOf('restore')) expect(await run(line, empty)).toEqual([line, 0, ''])
})

test('no example is left out', () => {
  const left = Object.entries(examples).filter(([command]) => !elsewhere.has(command))
  const missing = left.flatMap(([, lines]) => lines.filter((line) => !done.has(line)))
  expect(missing).toEqual([])
})
