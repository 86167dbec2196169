import type { Edit, PlantedFault } from './planted-fault.ts'

const folder = 'packages/server/src/access/decisions'
const command = `TEST_ENGINE=SQLite npm test -- --project unit ${folder}/role-book.property.test.ts`
/** The message of the comparison with the naive authorizer. */
const expect = /denied, where a rule allows it|allowed by (a rule that does not match|a way that is none|\d+ steps)/

/** Faults that make compiled roles differ from their rules. */
const faults: readonly (readonly [what: string, edit: Edit])[] = [
  [
    'a rule on a resource grants its sub-resources',
    {
      file: `${folder}/resource-table.ts`,
      replace: 'listed.get(resourceOf(request))',
      by: '(listed.get(resourceOf(request)) ?? listed.get(request.resource))',
    },
  ],
  [
    'the name "-" stands for every name',
    {
      file: `${folder}/resource-table.ts`,
      replace: 'if (names.length === 0) {',
      by: "if (names.length === 0 || names.includes('-')) {",
    },
  ],
  [
    "a plugin's prefix counts in groups that are not its own",
    {
      file: `${folder}/resource-table.ts`,
      replace: 'else if (pluginOf(group) === plugin) addResource',
      by: 'else addResource',
    },
  ],
  [
    "a plugin's prefix does not count in a rule on every group",
    {
      file: `${folder}/resource-table.ts`,
      replace: 'if (plugins.size === 0) return first',
      by: 'if (plugins.size >= 0) return first',
    },
  ],
  [
    'a prefix grants itself',
    { file: `${folder}/path-table.ts`, replace: 'slash >= 0 && slash < path.length - 1;', by: 'slash >= 0;' },
  ],
  [
    'a verb that is not known is passed over',
    {
      file: `${folder}/role-book.ts`,
      replace: 'isUnderstood(rule))',
      by: "isUnderstood(rule) || (Array.isArray(rule?.verbs) && rule.verbs.length > 0 && isUnderstood({ ...rule, verbs: ['*'] })))",
    },
  ],
  [
    'a rule on every verb takes the place of nearer ones',
    { file: `${folder}/grants.ts`, replace: 'if (!grants) return {', by: 'if (!grants || granted > 200) return {' },
  ],
  [
    'a rule that is too wide to be spread out is forgotten',
    { file: `${folder}/compile-rules.ts`, replace: 'Math.min(spread, firstWide(request))', by: 'spread' },
  ],
  [
    'aggregation ends after one step',
    {
      file: `${folder}/role-graph.ts`,
      replace: 'of aggregated.get(name) ?? [])',
      by: 'of reached.from ? [] : (aggregated.get(name) ?? []))',
    },
  ],
  [
    'sets of roles are taken for one another',
    { file: `${folder}/role-book.ts`, replace: "const key = names.join(' ')", by: "const key = names[0] ?? ''" },
  ],
]

export const authorizationFaults: readonly PlantedFault[] = faults.map(([what, edit]) => ({
  name: `compiled roles: ${what}`,
  edits: [edit],
  command,
  expect,
}))
