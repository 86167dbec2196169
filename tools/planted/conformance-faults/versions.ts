import type { ConformanceFault } from '../planted-fault.ts'

const plugins = 'packages/server/src/plugins'
const manifest = `${plugins}/manifest.ts`
const model = `${plugins}/plugin-model.ts`
const api = `${plugins}/plugin-api.ts`
const switching = `${plugins}/upgrade/switch-versions.ts`
const removing = `${plugins}/removal/remove-plugin.ts`

type Row = readonly [promise: string, what: string, file: string, find: string, replace: string]

const rows: readonly Row[] = [
  [
    'C1-50',
    'custom APIs are drawn without what they answer',
    'packages/server/src/discovery/openapi-routes.ts',
    'response ? { schema: response } : {}',
    '{}',
  ],
  [
    'C1-51',
    'custom APIs are not drawn',
    'packages/server/src/discovery/openapi-document.ts',
    'routePaths(routes, freeName)',
    'routePaths([], freeName)',
  ],
  [
    'C8-1',
    'any protocol will do',
    manifest,
    "if (definition['protocol'] !== 1) {",
    "if (definition['protocol'] === 0) {",
  ],
  [
    'C8-2',
    'nobody asks a process what it is',
    `${plugins}/plugin-runner.ts`,
    'if (!isDeepStrictEqual(await running.link.definition(), manifest.definition)) {',
    'if (isDeepStrictEqual(manifest.definition, undefined)) {',
  ],
  ['C8-16', 'any host will do', manifest, 'isInRange(hostVersion, requires)', 'isRange(requires)'],
  [
    'C8-17',
    'nobody waits for what it needs',
    `${plugins}/plugin-runner.ts`,
    'await untilMet(parts.neighbours, definition.dependencies, {',
    'await untilMet(parts.neighbours, {}, {',
  ],
  [
    'C8-18',
    'a plugin runs on without what it needs',
    `${plugins}/plugin-runner.ts`,
    'untilUnmet(parts.neighbours, dependencies, over.signal)',
    'untilUnmet(parts.neighbours, {}, over.signal)',
  ],
  [
    'C8-19',
    'a neighbour that starts anew stops others',
    `${plugins}/neighbours.ts`,
    'which is not started yet`, isLasting: false }',
    'which is not started yet`, isLasting: true }',
  ],
  ['C8-20', 'plugins may need each other', `${plugins}/dependency-circle.ts`, 'if (last === name) return way', ''],
  [
    'C8-421',
    'items do not say what has to be approved',
    'packages/api/src/plugin-summary/place-approvals.ts',
    'byKey.get(keyOf(item)) ?? item',
    'item',
  ],
  ['C8-422', 'nobody is told who approved', `${plugins}/approved.ts`, ', ...(by && { by }) }', ', ...(by && {}) }'],
  [
    'C8-423',
    'whoever may change a plugin can change what was approved',
    `${plugins}/plugin-model.ts`,
    'const { enabled, ...now } = specOf(object)',
    'const { enabled, ...now } = { ...specOf(object), ...(stored && { approved: specOf(stored).approved }) }',
  ],
  [
    'C8-424',
    'an upgrade forgets earlier approvals',
    `${plugins}/approved.ts`,
    'return [...earlier.filter(({ approval }) => !isOver.has(approval)), ...added]',
    'return isOver.size < 0 ? earlier : added',
  ],
  [
    'C8-425',
    'the plan of a removal counts nothing',
    `${plugins}/removal/belongings.ts`,
    'count: await countOf(parts, model), resource',
    'count: 0, resource',
  ],
  [
    'C8-21',
    'nobody is told who stops',
    `${plugins}/dependents.ts`,
    "sectionWithItems('dependents', items)",
    "sectionWithItems('dependents', [])",
  ],
  [
    'C8-22',
    'an upgrade waits for ever for what it needs',
    `${plugins}/plugin-runner.ts`,
    'if (isLasting && !run.isAdmitted) throw new PluginFailed(message)',
    '',
  ],
  [
    'C8-23',
    'nobody is told of objects that do not conform',
    `${plugins}/conformance-plan.ts`,
    'if (found > 0) refused.push(',
    'if (found < 0) refused.push(',
  ],
  [
    'C2-95',
    'every object counts as one that does not conform',
    'packages/server/src/models/non-conforming.ts',
    '.length > 0) found.push(stored)',
    '.length > -1) found.push(stored)',
  ],
  [
    'C8-4',
    'groups of audiences can be claimed',
    manifest,
    'if (isAudienceGroup(group)) refuse(',
    "if (group === '') refuse(",
  ],
  ['C8-5', 'the process of the new version is never let in', `${plugins}/seat.ts`, 'next.admit()', ''],
  [
    'C4-44',
    'the revision of a function index says nothing',
    'packages/server/src/models/model.ts',
    'form: `text by ${name}, revision ${revision}`',
    'form: `text by ${name}`',
  ],
  [
    'C8-6',
    'role templates stay when they are no longer declared',
    switching,
    'former.filter(isRole)))',
    'former.filter((object) => isRole(object) && false)))',
  ],
  ['C8-7', 'the version before is forgotten', switching, '    previous: versionOf(spec),\n', ''],
  [
    'C8-8',
    'a failed upgrade leaves its candidate',
    `${plugins}/upgrade/upgrade.ts`,
    'await parts.exclusively(`plugin/${plugin.name}`, () => withdraw(parts, plugin))',
    'true',
  ],
  [
    'C8-9',
    'a candidate that ends is started again and again',
    `${plugins}/plugin-runner.ts`,
    'if (!run.isAdmitted) throw new PluginFailed(why)',
    '',
  ],
  [
    'C8-10',
    'a second upgrade takes the place of the first',
    api,
    'if (candidate) throw',
    "if (candidate && name === '') throw",
  ],
  ['C8-11', 'a plan is carried out', api, "const isPlan = flag(query, 'plan')", "const isPlan = !flag(query, 'plan')"],
  [
    'C8-12',
    'what was to be kept is purged',
    removing,
    "if (plugin.spec.removal !== 'purge') {",
    'if (plugin.spec.removal === undefined) {',
  ],
  [
    'C8-13',
    'role templates stay',
    removing,
    "for (const name of roles) await deleted(parts, coreModel(parts, 'Role'), name)",
    '',
  ],
  [
    'C8-14',
    'finalizers of a plugin that is gone hold its objects',
    removing,
    'if (!(fromData(stored.data).metadata.finalizers ?? []).some(isOwn)) return',
    'if (plugin.uid === stored.uid || isOwn) return',
  ],
  ['C8-15', 'the object alone can be deleted', model, 'check, beforeDelete }', 'check }'],
]

/** What the host promises of versions of plugins, and of their end. */
export const versionFaults: readonly ConformanceFault[] = rows.map(([promise, what, file, find, replace]) => ({
  promise,
  what,
  file,
  find,
  replace,
}))
