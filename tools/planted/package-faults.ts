import type { Edit, PlantedFault } from './planted-fault.ts'

const run = (project: string, file: string, titles: string) =>
  `TEST_ENGINE=SQLite npm test -- --project ${project} ${file} -t "${titles}"`
const summary = (titles: string) => run('unit', 'packages/api/src/plugin-summary/describe.test.ts', titles)
const pack = (titles: string) => run('unit', 'packages/cli/src/plugin/pack.test.ts', titles)
const told = 'packages/api/src/plugin-summary'
const packing = 'packages/cli/src/plugin'

type Row = readonly [what: string, command: string, edit: Edit, expect: RegExp]

/** Faults that let a package contain or do more than its plan says. */
const faults: readonly Row[] = [
  [
    'what becomes public through another template goes unsaid',
    summary('requires approval'),
    {
      file: `${told}/package-contents.ts`,
      replace: 'for (const other of dependenciesOf(role)) reach(other)',
      by: 'reached.add(name)',
    },
    /FAIL.*a template that a public role depends on/,
  ],
  [
    'what a template becomes part of is followed one step',
    summary('requires approval'),
    {
      file: `${told}/package-contents.ts`,
      replace: 'if (targetsOf(role).includes(name)) reach(role.metadata.name)',
      by: 'if (targetsOf(role).includes(name)) reached.add(role.metadata.name)',
    },
    /FAIL.*a template that is aggregated into a public role/,
  ],
  [
    'a right on one object passes for one on all',
    summary('requires approval'),
    {
      file: `${told}/rights.ts`,
      replace: 'const isNamed = one.names.length === 0 || other.names.some((name) => one.names.includes(name))',
      by: 'const isNamed = one.names.length === 0 || other.names.every((name) => one.names.includes(name))',
    },
    /FAIL.*all object names instead of one/,
  ],
  [
    'a right by prefix passes for one on the place itself',
    run('unit', 'packages/api/src/plugin-summary/rights.property.test.ts', 'rights reported as new'),
    {
      file: `${told}/rights.ts`,
      replace: "(one.endsWith('/*') && other.startsWith(one.slice(0, -1)) && other !== '*')",
      by: "(one.endsWith('/*') && other.startsWith(one.slice(0, -2)))",
    },
    /FAIL.*rights reported as new/,
  ],
  [
    "a URL that only begins like the plugin's passes for its own",
    summary('requires approval'),
    {
      file: `${told}/rights.ts`,
      replace: "return root === '' && apis === 'apis' && own.has(group) && below.length > 0",
      by: "return root === '' && apis === 'apis' && [...own].some((one) => group.startsWith(one)) && below.length > 0",
    },
    /FAIL.*rules outside the plugin's groups/,
  ],
  [
    'a route is told by what it says of itself',
    summary('is listed by the rules of its role'),
    {
      file: `${told}/reach-items.ts`,
      replace: "return info?.kind === 'resource' && isAbout(right, info) ? [{ route, info }] : []",
      by: "return info?.kind === 'resource' && isAbout(right, info) && route.allow === undefined ? [{ route, info }] : []",
    },
    /FAIL.*is listed by the rules of its role/,
  ],
  [
    'a text of a package rewrites the lines about it',
    summary('control and bidirectional characters'),
    { file: `${told}/sections.ts`, replace: 'return text.replaceAll(', by: 'return text || text.replaceAll(' },
    /FAIL.*control and bidirectional characters/,
  ],
  [
    'a package hangs on when it was made',
    pack('is reproducible'),
    { file: `${packing}/archive.ts`, replace: 'mtime: new Date(0)', by: 'mtime: new Date()' },
    /FAIL.*is reproducible/,
  ],
  [
    'a package hangs on where it was made',
    pack('is reproducible|runs without node_modules'),
    {
      file: `${packing}/bundle.ts`,
      replace: '? nameOf(join(folder, source))',
      by: '? source',
    },
    /FAIL.*(is reproducible|runs without node_modules)/,
  ],
  [
    'a package lacks what it imports',
    pack('a dependency that is not installed'),
    {
      file: `${packing}/bundle.ts`,
      replace: 'outside.filter((name) => !isBuiltin(name))',
      by: "outside.filter((name) => !isBuiltin(name) && name === '')",
    },
    /FAIL.*a dependency that is not installed/,
  ],
  [
    'a package with native code is made',
    pack('native|compiled'),
    {
      file: `${packing}/native-code.ts`,
      replace: "existsSync(join(found.folder, 'binding.gyp'))",
      by: "existsSync(join(found.folder, 'no-binding.gyp'))",
    },
    /FAIL.*a dependency that is compiled on installation/,
  ],
  [
    'a plugin sees the environment of whoever packs it',
    pack('an empty environment'),
    { file: `${packing}/inspect-bundle.ts`, replace: 'env: {},', by: '' },
    /FAIL.*a plugin sees an empty environment/,
  ],
  [
    'a definition that is never the same is packed',
    pack('differs between loads'),
    {
      file: `${packing}/inspect-bundle.ts`,
      replace: 'if (new Set(answers.map(({ inspected }) => JSON.stringify(inspected))).size === 1) return first',
      by: 'if (answers.length > 0) return first',
    },
    /FAIL.*a definition that differs between loads/,
  ],
  [
    'a rule about what there is not is packed',
    pack('a resource that the plugin does not have'),
    {
      file: `${packing}/check-role.ts`,
      replace: "if (lacking === undefined || resource === '*') continue",
      by: 'if (lacking !== plain) continue',
    },
    /FAIL.*a rule on a resource that the plugin does not have/,
  ],
  [
    'a role is packed twice',
    pack('a role that the code declares too'),
    { file: `${packing}/check-extensions.ts`, replace: 'if (holder !== undefined) {', by: "if (holder === '') {" },
    /FAIL.*a role that the code declares too/,
  ],
  [
    'a role of somebody else is packed',
    pack('a role name without'),
    {
      file: `${packing}/check-role.ts`,
      replace: 'if (!name.startsWith(`${definition.name}-`)) {',
      by: "if (!name.startsWith('')) {",
    },
    /FAIL.*a role name without the plugin's prefix/,
  ],
  [
    'help waits for a bundler',
    run('end-to-end', 'tests/end-to-end/plugin-pack.test.ts', 'has help'),
    { file: 'packages/cli/src/plugin/plugin-commands.ts', add: "import './pack.ts'" },
    /FAIL.*has help that loads neither/,
  ],
]

export const packageFaults: readonly PlantedFault[] = faults.map(([name, command, edit, expect]) => ({
  name,
  command,
  edits: [edit],
  expect,
}))
