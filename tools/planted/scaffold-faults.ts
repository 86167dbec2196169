import type { PlantedFault } from './planted-fault.ts'

const file = 'packages/create-pergola-plugin/src/plugin-files.ts'
const command =
  'npm test -- --project unit packages/create-pergola-plugin/src/create-plugin.test.ts -t "passes its own test"'

type Slip = readonly [name: string, replace: string, by: string, expect: RegExp]

/** Mistakes in a new plugin that its own test must detect. */
const slips: readonly Slip[] = [
  [
    'an index that is not declared',
    "indexes: ['spec.owner', 'spec.state'],",
    "indexes: ['spec.owner'],",
    /spec\.state/,
  ],
  [
    'a template that lets nobody look',
    "rules: [can(['get', 'list', 'watch'], ${kind})] })`,",
    'rules: [] })`,',
    /boss may not list/,
  ],
  [
    'a template that everybody has, and that shows everything',
    "aggregateTo: ['authenticated'] })`,",
    "aggregateTo: ['authenticated'], rules: [can('list', ${kind})] })`,",
    /promise resolved/,
  ],
  [
    'a template that who looks has, and that takes away',
    "rules: [can(['get', 'list', 'watch'], ${kind})] })`,",
    "rules: [can('*', ${kind})] })`,",
    /promise resolved/,
  ],
  [
    'a template of managers that manages nothing',
    "rules: [can('*', ${kind})] })`,",
    'rules: [] })`,',
    /chief may not delete/,
  ],
  ['a template of owners that nobody has', ", aggregateTo: ['authenticated'] })`,", ' })`,', /ann may not create/],
  [
    'a route that counts others than it says',
    "open: await client(${kind}).list({ where: { 'spec.state': 'open' } })",
    "open: await client(${kind}).list({ where: { 'spec.state': 'done' } })",
    /open/,
  ],
  ['a route that no template allows', '{ allow: view, response', '{ response', /boss may not/],
  [
    'objects whose owner is not set',
    "owned(${kind}, 'spec.owner',",
    "owned(${kind}, 'spec.state',",
    /spec\.(owner|state)/,
  ],
]

export const scaffoldFaults: readonly PlantedFault[] = slips.map(([name, replace, by, expect]) => ({
  name: `in a new plugin, ${name}`,
  command,
  edits: [{ file, replace, by }],
  expect,
}))
