import { modelNames, type ModelNames } from './model-names.ts'

export interface NewPlugin {
  readonly name: string
  /** API group of the models, a domain name. */
  readonly group: string
  /** Version of Pergola. */
  readonly version: string
  /** In a clone of Pergola: the folder of its packages, relative to the plugin. Otherwise they come from a registry. */
  readonly packages?: string | undefined
}

/** Versions that the SDK is tested with. */
const versions = {
  '@types/node': '^24.19.2',
  oxlint: '^1.89.0',
  // vue-tsc needs the compiler's API, which TypeScript 7 does not have yet.
  typescript: '^6.0.3',
  vitest: '^5.1.0',
  vue: '^3.5.45',
  'vue-tsc': '^3.3.14',
}

/** All files of a working example plugin, by path. */
export function pluginFiles(plugin: NewPlugin): ReadonlyMap<string, string> {
  const names = modelNames(plugin.name)
  return new Map([
    ['package.json', packageJson(plugin)],
    ['tsconfig.json', json(compilerOptions)],
    ['.gitignore', lines('node_modules/', 'dist/', '.pergola/', 'pergola.db*', '*.tgz')],
    ['README.md', readme(plugin, names)],
    ['src/plugin.ts', pluginCode(plugin, names)],
    ['src/plugin.test.ts', testCode(plugin, names)],
    ['src/ui/index.ts', pagesCode],
    ['src/ui/open.vue', pageCode(names)],
    [`seed/${names.plural}.yaml`, seed(plugin, names)],
    ['.github/workflows/ci.yml', workflow],
    ['.vscode/launch.json', json(launch)],
  ])
}

function lines(...text: readonly string[]): string {
  return `${text.join('\n')}\n`
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

function packageJson({ name, version, packages }: NewPlugin): string {
  const from = (folder: string) => (packages === undefined ? `^${version}` : `file:${packages}/${folder}`)
  // Plugins of this release run on all hosts of the first stable major version.
  const nextMajor = Math.max(1, Number(version.split('.')[0])) + 1
  return json({
    name: `pergola-plugin-${name}`,
    version: '0.1.0',
    private: true,
    license: 'UNLICENSED',
    type: 'module',
    scripts: {
      dev: 'pergola dev',
      // Starting a test host can take longer than the default test timeout on a busy machine.
      test: 'vitest run --testTimeout=30000',
      check: 'vue-tsc && oxlint',
      pack: 'vue-tsc && pergola plugin pack',
    },
    dependencies: { '@pergola/plugin-sdk': from('plugin-sdk') },
    devDependencies: { '@pergola/cli': from('cli'), '@pergola/console': from('console'), ...versions },
    engines: { node: '>=24' },
    devEngines: { runtime: { name: 'node', version: '>=24' } },
    // The server is published as compiled JavaScript.
    allowScripts: { 'better-sqlite3': false },
    pergola: { requires: `>=${version} <${nextMajor}` },
  })
}

/** Node.js strips types at run time; `vue-tsc` only checks them and emits nothing. */
const compilerOptions = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: ['node', '@pergola/console/vue'],
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
  },
  // A component that is not imported and a misspelt property are errors.
  vueCompilerOptions: { strictTemplates: true },
  include: ['src'],
}

const launch = {
  version: '0.2.0',
  configurations: [
    {
      name: 'Attach to pergola dev',
      type: 'node',
      request: 'attach',
      port: 9229,
      restart: true,
      skipFiles: ['<node_internals>/**'],
      // The running code is in a folder of the host; its source map names the files here.
      resolveSourceMapLocations: null,
    },
  ],
}

const workflow = lines(
  'name: ci',
  'on: [push, pull_request]',
  'permissions: { contents: read }',
  'jobs:',
  '  check:',
  '    runs-on: ubuntu-latest',
  '    steps:',
  '      - uses: actions/checkout@v5',
  '      - uses: actions/setup-node@v5',
  '        with: { node-version: 24, cache: npm }',
  '      - run: npm ci',
  '      - run: npm run check',
  '      - run: npm test',
  '      - run: npm run pack',
)

function readme({ name, group }: NewPlugin, { displayName, plural }: ModelNames): string {
  return lines(
    `# ${displayName}`,
    '',
    `A plugin for Pergola. Its objects are \`${plural}\` in \`${group}\`.`,
    '',
    '| | |',
    '|---|---|',
    '| `npm run dev` | a host with the plugin, reloaded on every save; F5 in VS Code attaches |',
    '| `npm test` | the tests, on a host in memory |',
    '| `npm run check` | types and lint |',
    `| \`npm run pack\` | \`${name}-<version>.tgz\`, and a summary of what it will do |`,
    '',
    '`src/plugin.ts` is the plugin, `src/ui/open.vue` its page in the console. Objects in `seed/` are created in development, and never packed; objects in `extensions/`, if you',
    'create that folder, are packed and written at every start.',
    '',
    'While `npm run dev` runs, `npx pergola --as ann ...` calls as a signed-in user, `--as admin` as the administrator and',
    '`--as nobody` without signing in. Their data is kept in `.pergola/`; `npm run dev -- --reset` deletes it.',
  )
}

function pluginCode({ name, group }: NewPlugin, { kind, plural, displayName }: ModelNames): string {
  const spoken = displayName.toLowerCase()
  return lines(
    "import { can, defineModel, definePlugin, owned, roleTemplate, route, t, withDefault } from '@pergola/plugin-sdk'",
    '',
    `// The model. \`${kind}\` is a value; every type below is inferred from it.`,
    `export const ${kind} = defineModel({`,
    `  apiVersion: '${group}/v1alpha1',`,
    `  kind: '${kind}',`,
    `  plural: '${plural}',`,
    '  spec: t.Object({',
    "    title: t.String({ minLength: 1, maxLength: 120, description: 'What people see' }),",
    "    state: withDefault(t.Enum(['open', 'done'], { display: { tones: { open: 'blue', done: 'green' } } }), 'open'),",
    "    owner: t.String({ description: 'User name of the owner', display: { as: 'person' } }),",
    '  }),',
    "  indexes: ['spec.owner', 'spec.state'],",
    "  display: { icon: 'list-todo', color: 'blue', columns: ['spec.title', 'spec.owner', 'spec.state'] },",
    '})',
    '',
    '// Role templates: what operators hand out. Routes name the one that allows them.',
    `export const view = roleTemplate('view', { displayName: 'View ${spoken}', rules: [can(['get', 'list', 'watch'], ${kind})] })`,
    `export const manage = roleTemplate('manage', { displayName: 'Manage ${spoken}', dependencies: [view], rules: [can('*', ${kind})] })`,
    `// Everybody who signs in has this one.`,
    `const own = roleTemplate('own', { displayName: 'Own ${spoken}', aggregateTo: ['authenticated'] })`,
    '',
    `// console.api.${group}: for the administration`,
    'export const stats = route(',
    `  'GET /${plural}/-/stats',`,
    '  { allow: view, response: t.Object({ open: t.Integer(), done: t.Integer() }) },',
    '  async ({ client }) => ({',
    `    open: await client(${kind}).list({ where: { 'spec.state': 'open' } }).total(),`,
    `    done: await client(${kind}).list({ where: { 'spec.state': 'done' } }).total(),`,
    '  }),',
    ')',
    '',
    `// uc.api.${group}: the caller's own ${spoken}, to list, get, create, update, patch, delete and watch`,
    `export const mine = owned(${kind}, 'spec.owner', { allow: [{ to: own, verbs: '*' }] })`,
    '',
    'export default definePlugin({',
    `  name: '${name}',`,
    `  displayName: '${displayName}',`,
    "  icon: 'list-todo',",
    "  color: 'blue',",
    `  models: [${kind}],`,
    '  roles: [view, manage, own],',
    '  console: [stats],',
    '  uc: [mine],',
    `  pages: [{ path: '', title: 'Open ${spoken}', allow: view }],`,
    '})',
  )
}

const pagesCode = lines(
  "import { definePages } from '@pergola/console'",
  "import Open from './open.vue'",
  '',
  '// The path of each page in `definePlugin`, and its component.',
  "export default definePages({ '': Open })",
)

function pageCode({ kind, displayName }: ModelNames): string {
  const spoken = displayName.toLowerCase()
  return lines(
    '<script setup lang="ts">',
    "import { Button, client, Drawer, holds, ModelTable, ObjectForm, PageHeader } from '@pergola/console'",
    "import { computed, ref } from 'vue'",
    '// Models, routes and roles come as plain values; their code stays on the server.',
    `import { ${kind}, manage } from '../plugin.ts'`,
    '',
    `type Stored = NonNullable<(typeof ${kind})['object']>`,
    '',
    '// The server decides what a user may do; `holds` only decides what is shown.',
    'const mayManage = computed(() => holds(manage))',
    'const finish = ({ metadata }: Stored) =>',
    `  client.collection(${kind}).update(metadata.name, (one) => (one.spec.state = 'done'))`,
    "const actions = computed(() => (mayManage.value ? [{ title: 'Done', act: finish }] : []))",
    '',
    'const isOpen = ref(false)',
    'const opened = ref<string>()',
    'function open(name?: string): void {',
    '  opened.value = name',
    '  isOpen.value = true',
    '}',
    '</script>',
    '',
    '<template>',
    `  <PageHeader title="Open ${spoken}">`,
    '    <Button v-if="mayManage" kind="primary" icon="plus" @click="open()">New</Button>',
    '  </PageHeader>',
    '  <ModelTable',
    `    :of="${kind}"`,
    `    :where="{ 'spec.state': 'open' }"`,
    '    :actions="actions"',
    '    can-open',
    '    @open="({ metadata }) => open(metadata.name)"',
    '  />',
    `  <Drawer v-model="isOpen" :title="opened ? 'Change' : 'New'">`,
    `    <ObjectForm :of="${kind}" :name="opened" @saved="isOpen = false" @cancel="isOpen = false" />`,
    '  </Drawer>',
    '</template>',
  )
}

function testCode({ name }: NewPlugin, { kind, displayName }: ModelNames): string {
  const spoken = displayName.toLowerCase()
  return lines(
    "import { testHost } from '@pergola/plugin-sdk/testing'",
    "import { expect, test } from 'vitest'",
    `import plugin, { ${kind}, mine, stats } from './plugin.ts'`,
    '',
    `test('people see their own ${spoken}; who may view them sees and counts all, and who manages them takes them away', async () => {`,
    '  await using host = await testHost(plugin)',
    "  const ann = await host.user('ann')",
    "  const bob = await host.user('bob')",
    `  const boss = await host.user('boss', ['${name}-view'])`,
    `  const chief = await host.user('chief', ['${name}-manage'])`,
    '',
    "  const first = await ann.client(mine).create({ title: 'First' })",
    "  expect(first.spec).toMatchObject({ owner: 'ann', state: 'open' })",
    '  expect(await bob.client(mine).list().all()).toEqual([])',
    "  await expect(bob.client(mine).get(first.metadata.name)).rejects.toMatchObject({ reason: 'NotFound' })",
    `  await expect(ann.client(${kind}).list().all()).rejects.toMatchObject({ reason: 'Forbidden' })`,
    '',
    `  expect(await boss.client(${kind}).list().all()).toHaveLength(1)`,
    '  expect(await boss.call(stats)).toEqual({ open: 1, done: 0 })',
    `  await expect(boss.client(${kind}).delete(first.metadata.name)).rejects.toMatchObject({ reason: 'Forbidden' })`,
    `  await chief.client(${kind}).delete(first.metadata.name)`,
    '  expect(await boss.call(stats)).toEqual({ open: 0, done: 0 })',
    '})',
  )
}

function seed({ group }: NewPlugin, { kind }: ModelNames): string {
  return lines(
    '# There in development from the first start on.',
    `apiVersion: ${group}/v1alpha1`,
    `kind: ${kind}`,
    'metadata:',
    '  name: first',
    'spec:',
    '  title: First',
    '  owner: ann',
  )
}
