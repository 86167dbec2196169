import type { Edit, PlantedFault } from './planted-fault.ts'

const check = 'npm run -s docs:check'
const site = 'npm run -s docs:build'

/** Faults that make the documentation wrong or its links dead. */
const faults: readonly (readonly [what: string, command: string, edit: Edit, expect: RegExp])[] = [
  [
    'an export that the reference does not list',
    check,
    {
      file: 'packages/plugin-sdk/src/problem-functions.ts',
      replace: 'export function giveUp(message: string)',
      by: 'export function giveUp(message: string, planted?: string)',
    },
    /sdk\.md: the part "exports" is not what the code says/,
  ],
  [
    'an export that says nothing of itself',
    check,
    {
      file: 'packages/client/src/client.ts',
      replace:
        '/** For resources that are named by group, version and plural; `connect` is for the values of models. */\n',
      by: '',
    },
    /the function createClient has no comment/,
  ],
  [
    'an option of the command that the reference does not list',
    check,
    { file: 'packages/cli/src/objects/object-commands.ts', replace: "'--limit <count>'", by: "'--planted <count>'" },
    /cli\.md: the part "commands" is not what the code says/,
  ],
  [
    'a setting that the reference does not list',
    check,
    { file: 'packages/server/src/config/config-schema.ts', replace: 'Port to listen on;', by: 'A planted port;' },
    /configuration\.md: the part "settings" is not what the code says/,
  ],
  [
    'a limit that can be set, without what happens beyond it',
    check,
    {
      file: 'packages/server/src/config/config-schema.ts',
      replace: '        maxPerUser: {',
      by: '        mostPerUser: {',
    },
    /does not say what happens beyond watch\.mostPerUser/,
  ],
  [
    'a fixed limit that the reference has otherwise',
    check,
    {
      file: 'packages/server/src/validation/schema-errors.ts',
      replace: 'export const maxSchemaDepth = 32',
      by: 'export const maxSchemaDepth = 33',
    },
    /limits\.md: the part "limits" is not what the code says/,
  ],
  [
    'a field of models without a description',
    check,
    {
      file: 'packages/server/src/models/definition/model-schema.ts',
      replace: "edition: { type: 'integer', description: 'Grows with every changed definition.' }",
      by: "edition: { type: 'integer' }",
    },
    /the field status\.edition of Model has no description/,
  ],
  [
    'a keyword of schemas without a meaning',
    check,
    {
      file: 'packages/server/src/validation/schema-errors.ts',
      replace: 'dependencies nullable',
      by: 'dependencies planted nullable',
    },
    /has no meaning of planted/,
  ],
  [
    'a close code that the reference does not list',
    check,
    { file: 'packages/server/src/call/close-codes.ts', replace: 'failed: 1011', by: 'failed: 1012' },
    /streams\.md: the part "streams of plugins" is not what the code says/,
  ],
  [
    'a reason that the reference does not list',
    check,
    { file: 'packages/api/src/problem.ts', replace: 'The object is in use', by: 'The object is planted' },
    /problems\.md: the part "reasons" is not what the code says/,
  ],
  [
    'a file that the architecture names and that is not there',
    check,
    { file: 'ARCHITECTURE.md', add: 'See `planted/nowhere.ts`.' },
    /ARCHITECTURE\.md: there is no file planted\/nowhere\.ts/,
  ],
  [
    'a page that the index for language models has otherwise',
    check,
    { file: 'docs/reference/limits.md', replace: '# Limits', by: '# Planted' },
    /llms\.txt: it is not what the code says/,
  ],
  [
    'a right that everybody has and the reference does not list',
    check,
    {
      file: 'packages/server/src/access/built-in-roles.ts',
      replace: "['/livez', '/readyz']",
      by: "['/livez', '/planted']",
    },
    /roles\.md: the part "built-in roles" is not what the code says/,
  ],
  [
    'a sample that does not compile',
    check,
    { file: 'docs/how-to/roles.md', replace: 'dependencies: [view],', by: 'dependecies: [view],' },
    /docs\/how-to\/roles\.md\(\d+,\d+\): error TS/,
  ],
  [
    'a sample of the kit with a property that the part does not have',
    check,
    { file: 'docs/reference/console-kit.md', replace: 'unit="€"', by: 'unti="€"' },
    /docs\/reference\/console-kit\.md\(\d+,\d+\): error TS/,
  ],
  [
    'a link to a heading that is not there',
    check,
    { file: 'README.md', add: '[more](docs/reference/configuration.md#planted)' },
    /README\.md: the link docs\/reference\/configuration\.md#planted leads to a heading/,
  ],
  [
    'a page that nothing leads to',
    site,
    { file: 'docs/how-to/planted.md', add: '# Planted' },
    /docs\/how-to\/planted\.md has no place/,
  ],
  [
    'a link of a page that leads nowhere',
    site,
    { file: 'docs/concepts/watch.md', add: '[more](planted.md)' },
    /dead link/,
  ],
]

export const documentationFaults: readonly PlantedFault[] = faults.map(([what, command, edit, expect]) => ({
  name: `documentation: ${what}`,
  edits: [edit],
  command,
  expect,
}))
