import { existsSync, readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describePlugin, packageContents, renderPlan, type PluginManifest } from '../../packages/api/src/index.ts'
import { todoProject } from '../../packages/cli/src/plugin/plugin-project.rows.ts'
import { createPackageReader } from '../../packages/server/src/plugins/package/read-package.ts'
import { startPergola, type PergolaOptions } from './pergola-process.ts'

async function run(args: readonly string[], options: PergolaOptions) {
  await using pergola = startPergola({ ...options, args })
  const code = await pergola.exited
  return { code, stdout: pergola.stdout(), stderr: pergola.stderr() }
}

describe('pergola plugin pack', () => {
  test('creates a package that a host can read, and prints the summary', async () => {
    using project = todoProject()
    const { code, stdout, stderr } = await run(['plugin', 'pack', '--out', 'packed'], { directory: project.folder })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const bytes = readFileSync(join(project.folder, 'packed/todo-1.0.0.tgz'))
    const digest = createHash('sha256').update(bytes).digest('hex')
    const [first = '', ...rest] = stdout.split('\n')
    expect(first).toMatch(/^ {2}plugin\.js \d+ KB, \d+ dependencies inlined, no native code$/)
    const last = `  packed/todo-1.0.0.tgz  ${Math.ceil(bytes.length / 1_024)} KB  sha256:${digest}\n`
    // The host creates the same text from the package.
    await using reader = createPackageReader()
    const { manifest } = await reader.read(bytes)
    const summary = renderPlan(describePlugin(packageContents(manifest as PluginManifest, [])))
    expect(rest.join('\n')).toBe(`${summary}\n${last}`)
    expect(summary).toContain('a host of >=0.9.0 <2')
  })

  test('creates a package that a host installs and runs', async () => {
    using project = todoProject()
    await run(['plugin', 'pack'], { directory: project.folder })
    const env = { PERGOLA_ADMIN_USERNAME: 'admin', PERGOLA_ADMIN_PASSWORD_FILE: 'password' }
    await using host = startPergola({ env, files: { password: 'correct horse battery' } })
    const url = await host.url()
    const send = async (line: string, body?: object | Buffer<ArrayBuffer>, token = '') => {
      const [method = '', path = ''] = line.split(' ')
      const type = Buffer.isBuffer(body) ? 'application/gzip' : 'application/json'
      const authorization = token === '' ? {} : { authorization: `Bearer ${token}` }
      const response = await fetch(url + path, {
        method,
        headers: { origin: url, 'content-type': type, ...authorization },
        ...(body && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const admin = { username: 'admin', password: 'correct horse battery', transport: 'token' }
    const token = String((await send('POST /auth/sessions', admin)).body['token'])
    const sent = Buffer.from(readFileSync(join(project.folder, 'todo-1.0.0.tgz')))
    const packages = '/apis/console.api.platform.run/v1alpha1/plugins/-/packages'
    const plan = await send(`POST ${packages}?plan=true`, sent, token)
    const approvals = plan.body['approvals'] as readonly string[]
    const approved = new URLSearchParams(approvals.map((name): [string, string] => ['approve', name]))
    expect((await send(`POST ${packages}?${String(approved)}`, sent, token)).status).toBe(201)
    const plugin = '/apis/plugin.platform.run/v1alpha1/plugins/todo'
    const status = async () => (await send(`GET ${plugin}`, undefined, token)).body['status']
    await expect.poll(status).toMatchObject({ phase: 'Started' })

    const todos = '/apis/todo.example.com/v1alpha1/todos'
    const spec = { title: 'Buy milk', owner: 'ann', shareCode: '0123abcd' }
    expect((await send(`POST ${todos}`, { metadata: { name: 'milk' }, spec }, token)).status).toBe(201)
    const found = await send(`GET ${todos}?fieldSelector=words=milk`, undefined, token)
    expect(found.body).toMatchObject({ total: 1 })
    // Anonymous callers reach exactly what the summary lists.
    expect(await send('GET /apis/api.todo.example.com/v1alpha1/shares/0123abcd')).toEqual({
      status: 200,
      body: { title: 'Buy milk', state: 'open' },
    })
    expect((await send('GET /apis/console.api.todo.example.com/v1alpha1/todos/-/stats')).status).toBe(401)
  })

  test('writes beside package.json by default, and is reproducible', async () => {
    using project = todoProject()
    const first = await run(['plugin', 'pack'], { directory: project.folder })
    const bytes = readFileSync(join(project.folder, 'todo-1.0.0.tgz'))
    const second = await run(['plugin', 'pack'], { directory: project.folder, env: { TZ: 'Asia/Tokyo', LANG: 'de' } })
    expect(second.stdout).toBe(first.stdout)
    expect(readFileSync(join(project.folder, 'todo-1.0.0.tgz')).equals(bytes)).toBe(true)
  })

  const refusals: readonly (readonly [
    what: string,
    files: Readonly<Record<string, string>>,
    code: number,
    told: RegExp,
  ])[] = [
    ['a mistake in the code', { 'src/plugin.ts': 'const a = = 1\n' }, 1, /^src\/plugin\.ts:1:11 Unexpected token\n$/],
    [
      'an exception of the code',
      { 'src/plugin.ts': "throw new Error('not today')\nexport default 1\n" },
      1,
      /^src\/plugin\.ts:1:\d+ not today\n$/,
    ],
    ['an invalid version', { 'package.json': '{"version":"one"}' }, 2, /^package\.json: the version "one" must/],
  ]
  test.each(refusals)('reports %s in one line, and leaves nothing behind', async (_, files, code, told) => {
    using project = todoProject(files)
    const outcome = await run(['plugin', 'pack'], { directory: project.folder })
    expect(outcome).toMatchObject({ code, stdout: '' })
    expect(outcome.stderr).toMatch(told)
    expect(existsSync(join(project.folder, 'todo-1.0.0.tgz'))).toBe(false)
    expect(existsSync(join(project.folder, 'dist'))).toBe(false)
  })

  test('compiles decorated classes, and names those that are ignored', async () => {
    const source = readFileSync(join(import.meta.dirname, '../conformance/plugins/reports.ts'))
    const options = JSON.stringify({ compilerOptions: { experimentalDecorators: true } })
    using project = todoProject({ 'src/plugin.ts': source, 'tsconfig.json': options })
    const { code, stdout, stderr } = await run(['plugin', 'pack'], { directory: project.folder })
    expect(stderr).toMatch(/^the controller class Drafts has no API version and is ignored; write @ApiVersion\(.*\n$/)
    expect(stdout).toContain('reports-1.0.0.tgz')
    expect(code).toBe(0)
  })

  test('exits with 2 without a plugin, and for unknown options', async () => {
    const nowhere = await run(['plugin', 'pack'], {})
    expect(nowhere).toMatchObject({ code: 2, stdout: '' })
    expect(nowhere.stderr).toMatch(/^there is no package\.json in .*; run this in the folder of a plugin\n$/)
    const unknown = await run(['plugin', 'pack', '--ouut', 'x'], {})
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toContain('Did you mean --out?')
  })

  test('has help that loads neither a bundler nor a server', async () => {
    const hook = `import { registerHooks } from 'node:module'
      registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) })`
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` }
    const { code, stdout, stderr } = await run(['plugin', 'pack', '--help'], { env })
    expect(code).toBe(0)
    expect(stdout).toContain('--out <folder>')
    expect(stderr).toContain('packages/cli/src/plugin/plugin-commands.ts')
    expect(stderr).not.toMatch(/rolldown|packages\/(server|api|client)\/|\/yaml\//)
  })
})
