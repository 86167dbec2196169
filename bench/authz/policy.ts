import { requestInfo, type RequestInfo, type Rule, type Verb } from '@pergola/api'
import type { RoleDefinition } from '../../packages/server/src/access/decisions/role-graph.ts'

export const roleCount = 1_000
export const rulesPerRole = 20
const pluginCount = 100
const modelsPerPlugin = 20
/** The other rules are on resources. */
const pathRulesPerRole = 3

/** Deterministic pseudo-random numbers. */
export function createDice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

type Dice = ReturnType<typeof createDice>

const groupOf = (plugin: number) => `plugin-${plugin}.example.com`

export function pluginOf(group: string): string | undefined {
  return group.endsWith('.example.com') ? group.slice(0, -'.example.com'.length) : undefined
}

/** Rules like those of plugins: a few verbs on one or two resources of one group, some with a prefix, sub-resource or names. */
export function randomRoles(dice: Dice): readonly RoleDefinition[] {
  return Array.from({ length: roleCount }, (_, at) => ({
    name: `role-${at}`,
    rules: Array.from({ length: rulesPerRole }, (__, index) =>
      index < pathRulesPerRole ? randomPathRule(dice) : randomResourceRule(dice),
    ),
    dependencies: [],
    aggregatesTo: [],
    uiPermissions: [],
  }))
}

function randomPathRule(dice: Dice): Rule {
  const path = `/plugins/plugin-${dice(pluginCount)}`
  return { nonResourceURLs: [`${path}/ui/*`, `${path}/page-${dice(10)}`], verbs: ['get'] }
}

const verbSets: readonly (readonly Verb[])[] = [
  ['get', 'list', 'watch'],
  ['create', 'update', 'patch', 'delete'],
  ['get'],
]

function randomResourceRule(dice: Dice): Rule {
  const plugin = dice(pluginCount)
  const resource = () => {
    const plural = `model${dice(modelsPerPlugin)}`
    const form = dice(4)
    if (form === 0) return `plugin-${plugin}/${plural}`
    return form === 1 ? `${plural}/status` : plural
  }
  const names = dice(5) === 0 ? { resourceNames: [`object-${dice(10)}`, `object-${dice(10)}`] } : {}
  const verbs = verbSets[dice(verbSets.length)] ?? []
  return { apiGroups: [groupOf(plugin)], resources: [resource(), resource()], ...names, verbs }
}

const methods = ['GET', 'GET', 'GET', 'PUT', 'PATCH', 'DELETE']

/** Half of the requests are built from rules, the other half at random from the same words. */
export function randomRequests(dice: Dice, rules: readonly Rule[], count: number): readonly RequestInfo[] {
  return Array.from({ length: count }, (_, at) => {
    const rule = rules[dice(rules.length)]
    return at % 2 === 0 && rule ? requestFor(dice, rule) : anyRequest(dice)
  })
}

function requestFor(dice: Dice, rule: Rule): RequestInfo {
  const method = { get: 'GET', list: 'GET', watch: 'GET', create: 'PUT' }[rule.verbs[0] ?? ''] ?? 'PUT'
  if ('nonResourceURLs' in rule) {
    const url = rule.nonResourceURLs[dice(rule.nonResourceURLs.length)] ?? ''
    return ask(method, url.replace('*', `assets/file-${dice(50)}.js`))
  }
  const { apiGroups, resources, resourceNames = [] } = rule
  const [plural, subresource] = (resources[dice(resources.length)] ?? '').replace(/^plugin-\d+\//, '').split('/')
  const name = resourceNames[0] ?? `object-${dice(10)}`
  return ask(method, `/apis/${apiGroups[0]}/v1/${plural}/${name}${subresource === undefined ? '' : `/${subresource}`}`)
}

function anyRequest(dice: Dice): RequestInfo {
  const method = methods[dice(methods.length)] ?? 'GET'
  const plugin = dice(pluginCount)
  if (dice(6) === 0) return ask(method, `/plugins/plugin-${plugin}/ui/assets/file-${dice(50)}.js`)
  const name = dice(3) === 0 ? '' : `/object-${dice(10)}`
  return ask(method, `/apis/${groupOf(plugin)}/v1/model${dice(modelsPerPlugin)}${name}`)
}

function ask(method: string, target: string): RequestInfo {
  return requestInfo({ method, target, headers: {} })
}
