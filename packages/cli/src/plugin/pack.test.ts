import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PluginManifest } from '@pergola/api'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { declaredObjects } from '../../../server/src/plugins/run/declared-objects.ts'
import { manifestOf } from '../../../server/src/plugins/package/manifest.ts'
import { createPackageReader } from '../../../server/src/plugins/package/read-package.ts'
import { AuthorFault, ProjectFault } from './author-fault.ts'
import { packPlugin } from './pack.ts'
import { todoProject, type TestProject } from './plugin-project.rows.ts'

// Packing starts three processes, and some tests pack three times.
vi.setConfig({ testTimeout: 60_000 })

const out = mkdtempSync(join(tmpdir(), 'pergola-packed-'))
const reader = createPackageReader()
afterAll(async () => {
  rmSync(out, { recursive: true })
  await reader[Symbol.asyncDispose]()
})

const pack = ({ folder }: TestProject) => packPlugin({ folder, out, conditions: ['@pergola/source'] })

/** The faults reported to the author, one line each. */
async function faultsOf(project: TestProject): Promise<readonly string[]> {
  const fault: unknown = await pack(project).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (fault instanceof AuthorFault) return fault.lines
  if (fault instanceof ProjectFault) return [fault.message]
  throw new Error('expected a fault of the author', { cause: fault })
}

describe('the package of the example', () => {
  test('contains one code file with its source map, the manifest, and the roles', async () => {
    using project = todoProject({
      'extensions/lists/first.yml': 'apiVersion: todo.example.com/v1alpha1\nkind: Todo\nmetadata: {name: first}\n',
      'logo.svg': '<svg/>',
    })
    const json = JSON.parse(readFileSync(join(project.folder, 'package.json'), 'utf8')) as Record<string, object>
    const more = { author: { name: 'Ann', email: 'ann@example.com' }, homepage: 'https://todo.example.com' }
    project.write({
      'package.json': JSON.stringify({ ...json, ...more, pergola: { ...json['pergola'], logo: 'logo.svg' } }),
    })
    const packed = await pack(project)
    const read = await reader.read(readFileSync(packed.file))
    const { files, digest, manifest } = read
    expect(packed.digest).toBe(digest)
    const { definition } = manifestOf({ manifest, files })
    expect([...files.keys()]).toEqual([
      'extensions/lists/first.yml',
      'extensions/roles.yaml',
      'logo.svg',
      'plugin.js',
      'plugin.js.map',
      'plugin.json',
      'ui/index.js',
    ])
    expect(manifest).toMatchObject({
      name: 'todo',
      version: '1.0.0',
      displayName: 'Todos',
      description: "Todos of one's own, shared by a code, with reminders: every part of a plugin once.",
      author: 'Ann <ann@example.com>',
      homepage: 'https://todo.example.com',
      license: 'Apache-2.0',
      logo: 'logo.svg',
      icon: 'list-todo',
      color: 'blue',
      requires: '>=0.9.0 <2',
      groups: ['todo.example.com'],
      permissions: [],
      protocol: 1,
    } satisfies Partial<PluginManifest>)
    const golden = join(import.meta.dirname, '../../../plugin-sdk/src/inspect/todo.golden.json')
    expect(definition).toEqual(JSON.parse(readFileSync(golden, 'utf8')))
    const roles = parseAllDocuments(files.get('extensions/roles.yaml')?.toString() ?? '')
    expect(roles.map((role) => role.toJS() as unknown)).toEqual(packed.manifest.definition.roles)
    const names = packed.manifest.definition.roles.map(({ metadata }) => metadata.name)
    expect(declaredObjects(read).map(({ name }) => name)).toEqual(['first', ...names])
    for (const [path, bytes] of files) expect(readFileSync(join(project.folder, 'dist', path))).toEqual(bytes)
  })

  test('is reproducible: the same bytes at any time and in any folder', async () => {
    using project = todoProject()
    using elsewhere = todoProject({ 'package.json': readFileSync(join(project.folder, 'package.json')) })
    const first = await pack(project)
    const bytes = readFileSync(first.file)
    const later = await pack(project)
    expect(readFileSync(later.file).equals(bytes)).toBe(true)
    const other = await pack(elsewhere)
    expect(other.digest).toBe(first.digest)
    expect(bytes.toString('latin1')).not.toContain(project.folder)
  })

  test('runs without node_modules, with a source map to the original files', async () => {
    using project = todoProject()
    const { file } = await pack(project)
    const { files } = await reader.read(readFileSync(file))
    const folder = mkdtempSync(join(out, 'host-'))
    for (const name of ['plugin.js', 'plugin.js.map']) writeFileSync(join(folder, name), files.get(name) ?? '')
    const spoken = promisify(execFile)(process.execPath, ['plugin.js'], { cwd: folder, env: { PERGOLA_PROTOCOL: '9' } })
    await expect(spoken).rejects.toThrow('the host uses protocol 9, but this plugin uses 1')
    const silent = await promisify(execFile)(process.execPath, ['plugin.js'], { cwd: folder, env: {} })
    expect(silent).toMatchObject({ stdout: '', stderr: '' })
    const { sources } = JSON.parse(files.get('plugin.js.map')?.toString() ?? '') as { sources: readonly string[] }
    expect(sources).toContain('src/plugin.ts')
    expect(sources.filter((source) => source.startsWith('.') || source.startsWith('/'))).toEqual([])
  })

  test('names the source lines in the stack of an error', async () => {
    using project = todoProject(plugin(`if (process.env.PERGOLA_PROTOCOL) throw new Error('boom')\n${minimal}`))
    const { files } = await reader.read(readFileSync((await pack(project)).file))
    const folder = mkdtempSync(join(out, 'host-'))
    for (const name of ['plugin.js', 'plugin.js.map']) writeFileSync(join(folder, name), files.get(name) ?? '')
    const run = promisify(execFile)(process.execPath, ['plugin.js'], { cwd: folder, env: { PERGOLA_PROTOCOL: '1' } })
    await expect(run).rejects.toThrow(/Error: boom\n {4}at (\S+ \()?src\/plugin\.ts:2:41/)
  })

  test('reports the inlined packages and the summary', async () => {
    using project = todoProject()
    const { summary, inlined } = await pack(project)
    expect(inlined).toEqual(
      expect.arrayContaining(['@pergola/api', '@pergola/client', '@pergola/plugin-sdk', 'typebox']),
    )
    expect(summary.map(({ code }) => code)).toContain('public')
  })

  test('reports warnings printed while loading the plugin, even if they differ between loads', async () => {
    using project = todoProject(plugin(`console.warn('mind the gap', Math.random())\n${minimal}`))
    expect((await pack(project)).warnings).toMatch(/^mind the gap [\d.e-]+$/)
    using other = todoProject()
    expect((await pack(other)).warnings).toBe('')
  })

  test('includes YAML roles in the summary, also from src/main/resources', async () => {
    using project = todoProject({
      'src/main/resources/extensions/more.yaml': roleText({ name: 'todo-status', resource: 'todo/todos/status' }),
    })
    const { summary, file } = await pack(project)
    const { files } = await reader.read(readFileSync(file))
    expect(files.has('extensions/more.yaml')).toBe(true)
    const values = { role: 'todo-status', verbs: ['get'], resource: 'todos/status' }
    const roles = summary.find(({ code }) => code === 'roles')?.items
    expect(roles).toContainEqual({ code: 'resource', values, risk: 'role' })
  })
})

interface RoleText {
  readonly name?: string
  readonly resource?: string
  readonly group?: string
  readonly verb?: string
  readonly label?: string
  readonly more?: string
}

function roleText({ name = 'todo-more', resource = 'todos', group = 'todo.example.com', ...rest }: RoleText): string {
  const { verb = 'get', label = 'platform.run/role-template: "true"', more = '' } = rest
  return [
    'apiVersion: v1alpha1',
    'kind: Role',
    'metadata:',
    `  name: ${name}`,
    '  labels:',
    `    ${label}`,
    ...(more === '' ? [] : [more]),
    'rules:',
    `  - apiGroups: ["${group}"]`,
    `    resources: ["${resource}"]`,
    `    verbs: ["${verb}"]`,
    '',
  ].join('\n')
}

const plugin = (text: string) => ({
  'src/plugin.ts': `import { can, defineModel, definePlugin, roleTemplate, route, t } from '@pergola/plugin-sdk'\n${text}`,
})
const minimal = "export default definePlugin({ name: 'todo' })\n"
const extension = (text: string) => ({ 'extensions/more.yaml': text })
const packageJson = (json: object) => ({ 'package.json': JSON.stringify({ name: 'x', version: '1.0.0', ...json }) })

test('packing warns of a route whose bodies do not fit into the memory of a plugin', async () => {
  const upload = (maxBody: number) =>
    `export default definePlugin({ name: 'todo', api: 'todo.example.com/v1', console: [route('POST /files', { maxBody: ${maxBody} }, () => ({}))] })\n`
  using project = todoProject(plugin(upload(30_000_000)))
  expect((await pack(project)).warnings).toBe(
    'warning: POST /apis/console.api.todo.example.com/v1/files takes bodies of up to 29 MiB, and a host ends this plugin when it uses more than 128 MiB; read the body as a stream, or ask for more with needs: { memory }',
  )
  project.write(plugin(upload(10_000_000)))
  expect((await pack(project)).warnings).toBe('')
})

describe('packing reports', () => {
  type Row = readonly [
    what: string,
    files: Readonly<Record<string, string | Buffer>>,
    told: readonly (string | RegExp)[],
  ]
  const rows: readonly Row[] = [
    ['a syntax error', plugin('const a = = 1\n'), ['src/plugin.ts:2:11 Unexpected token']],
    [
      'a missing default export',
      plugin('export const a = 1\n'),
      ['src/plugin.ts:2:1 there is no default export; end the file with "export default definePlugin({ ... })"'],
    ],
    [
      'a default export that is not a plugin',
      plugin("definePlugin({ name: 'todo' })\nexport default 3\n"),
      ['src/plugin.ts:2:1 the default export is not a plugin; write "export default definePlugin({ ... })"'],
    ],
    [
      'a dependency that is not installed',
      plugin(`import x from 'nowhere/x'\nconsole.log(x)\n${minimal}`),
      ['src/plugin.ts:2:15 "nowhere/x" is not installed; npm install nowhere'],
    ],
    [
      'an import of a missing file',
      plugin(`import x from './gone.ts'\nconsole.log(x)\n${minimal}`),
      [/^src\/plugin\.ts:2:15 Could not resolve '\.\/gone\.ts'/],
    ],
    [
      'an error thrown while loading',
      plugin(`const list: string[] = []\nconsole.log(list[0]!.length)\n${minimal}`),
      [/^src\/plugin\.ts:3:\d+ Cannot read properties of undefined \(reading 'length'\)$/],
    ],
    [
      'decorators that are not enabled in tsconfig.json',
      plugin(`function log() {}\nclass One {\n  @log\n  run() {}\n}\nnew One().run()\n${minimal}`),
      [
        'src/plugin.ts:4:3 Node.js reads no decorators; set "experimentalDecorators": true in compilerOptions of tsconfig.json, and they are compiled',
      ],
    ],
    [
      'every fault of the definition, with its position',
      plugin(
        [
          "const Todo = defineModel({ apiVersion: 'todo.example.com/v1', plural: 'Todos',",
          "  kind: 'Todo', spec: t.Object({}) })",
          "const view = roleTemplate('view', { displayName: 'View', rules: [can('get', Todo)] })",
          "const read = route('GET /todos/:name/*', { allow: view }, () => ({}))",
          "export default definePlugin({ name: 'todo', models: [Todo], public: [read] })",
          '',
        ].join('\n'),
      ),
      [
        /^src\/plugin\.ts:3:3 models\.Todo\.plural: "Todos" must begin with a letter/,
        /^src\/plugin\.ts:5:20 public "GET \/todos\/:name\/\*": has a wildcard/,
        /^src\/plugin\.ts:5:20 public "GET \/todos\/:name\/\*": allow names the template "view", which is not in roles/,
      ],
    ],
    [
      'a plugin that exits while loading',
      plugin(`console.log('hello')\nprocess.exit(3)\n${minimal}`),
      [/^src\/plugin\.ts:4:16 loading the plugin ended the process with 3; nothing may run .*\n {2}hello$/],
    ],
    [
      'a definition that differs between loads',
      plugin("export default definePlugin({ name: 'todo', description: String(Math.random()) })\n"),
      [/^src\/plugin\.ts:2:16 the definition is not deterministic/],
    ],
    [
      'a native addon',
      {
        ...plugin(`import x from 'fast'\nconsole.log(x)\n${minimal}`),
        'node_modules/fast/package.json': '{"name":"fast","version":"1.0.0","main":"fast.node"}',
        'node_modules/fast/fast.node': Buffer.from('\u007fELF\0'),
      },
      [/^fast\/fast\.node the package fast needs native code, which a plugin cannot carry/],
    ],
    [
      'a dependency that is compiled on installation',
      {
        ...plugin(`import x from 'fast'\nconsole.log(x)\n${minimal}`),
        'node_modules/fast/package.json': '{"name":"fast","version":"1.0.0","main":"fast.js"}',
        'node_modules/fast/fast.js': 'module.exports = process.dlopen',
        'node_modules/fast/binding.gyp': '{}',
      },
      [/^fast\/fast\.js the package fast is compiled from native code/],
    ],
    [
      'components of console pages that the plugin does not name',
      { ...plugin(minimal), 'src/ui/index.ts': 'export default {}' },
      ['src/ui/index.ts has components, but definePlugin has no pages; name them there, each with its path'],
    ],
    ['invalid YAML', extension('a: [1\nb: 2\n'), [/^extensions\/more\.yaml:2:1 /]],
    [
      'a YAML document that is not an object',
      extension('kind: Role\n---\n- 1\n'),
      [
        'extensions/more.yaml:1:1 a declared object has apiVersion, kind and metadata.name',
        'extensions/more.yaml:3:1 a declared object has apiVersion, kind and metadata.name',
      ],
    ],
    [
      'a rule on a resource that the plugin does not have',
      extension(roleText({ resource: 'todo/todoes' })),
      ['extensions/more.yaml:9:17 rule names "todoes"; this plugin has todos, todos/status in todo.example.com'],
    ],
    [
      'a rule on routes that do not exist',
      extension(roleText({ group: 'uc.api.todo.example.com', resource: 'todos/archive' })),
      [
        'extensions/more.yaml:9:17 rule names "todos/archive"; this plugin has todos, todos/share in uc.api.todo.example.com',
      ],
    ],
    [
      'a rule on a group of another plugin',
      extension(roleText({ group: 'todos.example.com', resource: 'todo/todos' })),
      [/^extensions\/more\.yaml:9:17 rule names "todo\/todos" in todos\.example\.com; groups of this plugin are todo/],
    ],
    [
      'an unknown verb',
      extension(roleText({ verb: 'read' })),
      [/^extensions\/more\.yaml:10:13 rule names the verb "read"; there are create, delete/],
    ],
    [
      'a role that the code declares too',
      extension(roleText({ name: 'todo-view' })),
      ['extensions/more.yaml:4:9 Role "todo-view" stands in roles of the plugin too; write it in one place'],
    ],
    [
      'a duplicate role',
      extension(`${roleText({})}---\n${roleText({})}`),
      ['extensions/more.yaml:15:9 Role "todo-more" stands in extensions/more.yaml:4:9 too; write it in one place'],
    ],
    [
      "a role name without the plugin's prefix",
      extension(roleText({ name: 'editor' })),
      ['extensions/more.yaml:4:9 "editor" must begin with "todo-", the name of the plugin'],
    ],
    [
      'a role that is not a template',
      extension(roleText({ label: 'example.com/a: b' })),
      [/^extensions\/more\.yaml:6:5 a role of a plugin is a template; add the label platform\.run\/role-template/],
    ],
    [
      'a role that depends on an unknown role',
      extension(
        roleText({ more: `  annotations:\n    rbac.authorization.platform.run/dependencies: '["todo-veiw"]'` }),
      ),
      ['extensions/more.yaml:8:5 depends on "todo-veiw", which this plugin does not have'],
    ],
    [
      'reserved label or annotation keys',
      extension('apiVersion: todo.example.com/v1alpha1\nkind: Todo\nmetadata:\n  name: a\n  labels: {color: red}\n'),
      [/^extensions\/more\.yaml:5:\d+ the key "color" is reserved; begin it with a domain/],
    ],
    [
      'objects of other plugins',
      extension('apiVersion: v1alpha1\nkind: RoleBinding\nmetadata: {name: a}\n'),
      [
        /^extensions\/more\.yaml:2:7 is RoleBinding \(v1alpha1\); this plugin has Todo \(todo\.example\.com\/v1alpha1\)/,
      ],
    ],
    [
      'a file at the path of a generated file',
      { 'extensions/roles.yaml': roleText({}) },
      ['extensions/roles.yaml is generated from the roles of the plugin; rename your file'],
    ],
    [
      'two files with one path in the package',
      { ...extension(roleText({})), 'src/main/resources/extensions/more.yaml': '' },
      [
        'src/main/resources/extensions/more.yaml lies in the package where extensions/more.yaml does; give it another name',
      ],
    ],
    [
      'two host version ranges',
      {
        ...packageJson({ pergola: { requires: '^1.0.0' } }),
        ...plugin("export default definePlugin({ name: 'todo', requires: '^2.0.0' })\n"),
      },
      ['package.json definePlugin says requires "^2.0.0", and package.json "^1.0.0"; say it once'],
    ],
    ['an invalid version', packageJson({ version: '1.0' }), [/^package\.json: the version "1\.0" must be like/]],
    ['a missing version', { 'package.json': '{"name":"x"}' }, ['package.json has no version; add "version": "1.0.0"']],
    [
      'an invalid version range',
      packageJson({ pergola: { requires: 'new' } }),
      [/^package\.json: pergola\.requires "new"/],
    ],
    [
      'a tsconfig.json that extends a missing file',
      { 'tsconfig.json': '{ "extends": "../missing/tsconfig.json" }' },
      ['tsconfig.json the file named by "extends" is not there'],
    ],
    [
      'a tsconfig.json that is not JSON',
      { 'tsconfig.json': '{ broken' },
      [/^tsconfig\.json cannot be used: JSON parse error/],
    ],
    [
      'what only a host can tell of a schema',
      plugin(
        [
          "const Todo = defineModel({ apiVersion: 'todo.example.com/v1', plural: 'todos', kind: 'Todo',",
          "  spec: t.Object({ at: t.String({ format: 'moment' }) }) })",
          "export default definePlugin({ name: 'todo', models: [Todo] })\n",
        ].join('\n'),
      ),
      [
        /^src\/plugin\.ts:2:\d+ models\.Todo: versions\[0\]\.schema\.properties\.spec\.properties\.at\.format is not known; known are /,
      ],
    ],
    [
      'a UI permission of another plugin in a role template',
      {
        'extensions/view.yaml': [
          'apiVersion: v1alpha1',
          'kind: Role',
          'metadata:',
          '  name: todo-yaml',
          '  labels: { platform.run/role-template: "true" }',
          '  annotations:',
          '    rbac.authorization.platform.run/ui-permissions: \'["plugin:todo:a", "plugin:other:a", "plugin:todo:"]\'',
          'rules: []',
        ].join('\n'),
      },
      [
        /^extensions\/view\.yaml:7:\d+ the UI permission "plugin:other:a" must have the form plugin:todo:<scope>$/,
        /^extensions\/view\.yaml:7:\d+ the UI permission "plugin:todo:" must have the form plugin:todo:<scope>$/,
      ],
    ],
    ['an invalid package.json', { 'package.json': '{' }, [/^package\.json is not JSON: /]],
    ['a missing entry file', packageJson({ pergola: { entry: 'src/x.ts' } }), [/^there is no src\/x\.ts/]],
    [
      'a logo outside the folder',
      packageJson({ pergola: { logo: '../a.svg' } }),
      [/^package\.json: pergola\.logo "\.\.\/a\.svg" must/],
    ],
  ]
  test.each(rows)('%s', async (_, files, told) => {
    using project = todoProject(files)
    const lines = await faultsOf(project)
    expect(lines).toEqual(told.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))))
    expect(existsSync(join(project.folder, 'dist'))).toBe(false)
  })

  test('an SDK that is too old', async () => {
    const sdk = 'node_modules/@pergola/plugin-sdk'
    const old = {
      [`${sdk}/package.json`]: '{"name":"@pergola/plugin-sdk","exports":{".":"./index.js"}}',
      [`${sdk}/index.js`]: 'export const definePlugin = (plugin) => plugin\nexport const inspect = definePlugin\n',
    }
    const text = "import { definePlugin } from '@pergola/plugin-sdk'\nexport default definePlugin({ name: 'todo' })\n"
    using project = todoProject({ ...old, 'src/plugin.ts': text }, { hasSdk: false })
    expect(await faultsOf(project)).toEqual([
      'package.json an SDK that runs plugins is not installed; npm install @pergola/plugin-sdk@latest',
    ])
  })

  test('loading that takes too long', async () => {
    using project = todoProject(plugin(`setInterval(() => {}, 1_000)\nawait new Promise(() => {})\n${minimal}`))
    expect(await faultsOf(project)).toEqual([
      expect.stringMatching(/^src\/plugin\.ts:4:16 loading the plugin took more/),
    ])
  })
})

test('a plugin that prints and keeps the event loop alive while loading is packed', async () => {
  using project = todoProject(plugin(`console.log('{}')\nsetInterval(() => {}, 1_000)\n${minimal}`))
  expect((await pack(project)).manifest.name).toBe('todo')
})

test('dynamic imports are bundled into the same file', async () => {
  using project = todoProject({
    ...plugin("const { name } = await import('./later.ts')\nexport default definePlugin({ name })\n"),
    'src/later.ts': "export const name = 'later'\n",
  })
  const { manifest, file } = await pack(project)
  expect(manifest.name).toBe('later')
  const { files } = await reader.read(readFileSync(file))
  expect([...files.keys()]).toEqual(['plugin.js', 'plugin.js.map', 'plugin.json'])
})

test('a plugin sees an empty environment while it is packed', async () => {
  using project = todoProject(
    plugin("export default definePlugin({ name: 'todo', description: JSON.stringify(process.env) })\n"),
  )
  expect((await pack(project)).manifest.description).toBe('{}')
})

test('files of an earlier package are not in the next one', async () => {
  using project = todoProject({ 'extensions/old.yaml': roleText({}) })
  await pack(project)
  rmSync(join(project.folder, 'extensions'), { recursive: true })
  expect((await reader.read(readFileSync((await pack(project)).file))).files.has('extensions/old.yaml')).toBe(false)
  expect(existsSync(join(project.folder, 'dist/extensions/old.yaml'))).toBe(false)
})
