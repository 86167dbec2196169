import { common, packages, sealedLibraries, serverFolders, serverRoots } from './tools/layers/layers.ts'

const server = 'packages/server/src'
const maxImports = 5

for (const { name, mayImport } of serverFolders) {
  if (mayImport.length <= maxImports) continue
  throw new Error(
    `tools/layers/layers.ts lets ${server}/${name} import ${mayImport.length} other folders; the limit is ${maxImports}`,
  )
}

/** @param {import('./tools/layers/layers.ts').Layer} layer */
const reaches = ({ name, mayImport }) => [name, ...mayImport, ...common.slice(common.indexOf(name) + 1)]

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'package-unlisted',
      comment: 'a new package belongs into tools/layers/layers.ts first',
      severity: 'error',
      from: { path: '^packages/', pathNot: `^packages/(${packages.map(({ name }) => name).join('|')})/` },
      to: {},
    },
    ...packages.map(({ name, mayImport }) => ({
      name: `package-${name}`,
      comment: `packages/${name} may import ${mayImport.join(', ') || 'no other package'}`,
      severity: /** @type {const} */ ('error'),
      from: { path: `^packages/${name}/`, pathNot: '((\\.test|\\.rows)\\.ts$|/contract/)' },
      to: { path: '^(packages|tests|tools)/', pathNot: `^packages/(${[name, ...mayImport].join('|')})/` },
    })),
    ...serverFolders
      .filter(({ mayImport }) => !mayImport.includes('*'))
      .map((layer) => ({
        name: `server-${layer.name}`,
        comment: `${server}/${layer.name} may import ${reaches(layer).slice(1).join(', ') || 'no other folder'}`,
        severity: /** @type {const} */ ('error'),
        from: { path: `^${server}/${layer.name}/` },
        to: { path: `^${server}/`, pathNot: `^${server}/(${reaches(layer).join('|')})/` },
      })),
    {
      name: 'server-folder-unlisted',
      comment: 'a new folder belongs into tools/layers/layers.ts first',
      severity: 'error',
      from: {
        path: `^${server}/`,
        pathNot: [
          `^${server}/(${serverFolders.map(({ name }) => name).join('|')})/`,
          `^${server}/(${serverRoots.join('|')})(\\.test|\\.rows)?\\.ts$`,
        ],
      },
      to: {},
    },
    {
      name: 'api-is-pure',
      comment: 'packages/api runs in browsers and has no dependencies',
      severity: 'error',
      from: { path: '^packages/api/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'] },
    },
    {
      name: 'client-is-for-browsers',
      comment: 'packages/client runs in browsers too, and depends on packages/api alone',
      severity: 'error',
      from: { path: '^packages/client/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'], pathNot: '^packages/api/' },
    },
    {
      name: 'sdk-values-are-plain',
      comment: 'what authors write with loads nothing of Node.js and no library to run with; that stands in src/run',
      severity: 'error',
      from: {
        path: '^packages/plugin-sdk/src/',
        pathNot: '(^packages/plugin-sdk/src/(run|testing)/|(\\.test|\\.rows)\\.ts$)',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'plugins-use-the-public-sdk',
      comment:
        'an example, or what comes with the host, is what a plugin author could write: the SDK and the console kit, and nothing behind them',
      severity: 'error',
      from: { path: '^(examples|plugins)/' },
      to: {
        path: '^(packages|tests|tools)/',
        pathNot: '^packages/(plugin-sdk/src/((decorators|testing)/)?index\\.ts|console/kit\\.d\\.ts)$',
      },
    },
    {
      name: 'no-test-code-in-product',
      severity: 'error',
      from: { path: '^packages/', pathNot: '((\\.test|\\.rows)\\.ts$|/contract/)' },
      to: { path: '((\\.test|\\.rows)\\.ts$|/contract/)|^tests/' },
    },
    {
      name: 'declared-dependencies-only',
      comment: 'what is imported stands in the package.json of the package that imports it',
      severity: 'error',
      // The console is bundled, so nobody installs its libraries.
      from: { path: '^(packages|tests/servers)/', pathNot: '((\\.test|\\.rows)\\.ts$|/contract/|^packages/console/)' },
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'npm-dev'],
        pathNot: 'node_modules/@types/[^/]+/',
      },
    },
    {
      name: 'sql-inside-the-store',
      comment: `SQL is a named function in ${server}/store/records`,
      severity: 'error',
      from: { path: '^packages/', pathNot: [`^${server}/store/`, '\\.test\\.ts$'] },
      to: { path: `^${server}/store/sql\\.ts$` },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...sealedLibraries.map(({ library, only }) => ({
      name: `sealed-${library}`,
      comment: `${library} is used only in ${only}`,
      severity: /** @type {const} */ ('error'),
      from: { path: '^(packages|tests)/', pathNot: `^${only}/` },
      to: { path: `node_modules/(@types/)?${library}/` },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/(dist|coverage)/|^packages/server/console/|^bench/peers/projects/' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      conditionNames: ['@pergola/source', 'import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
}
