import {
  roleKeys,
  uiPermissionFault,
  verbs,
  type PluginDefinition,
  type RoleDeclaration,
  type Rule,
} from '@pergola/api'
import { isJson, isReserved, type Json, type Report } from './declared-json.ts'
import { knownResources } from './known-resources.ts'

const ruleKeys = new Set(['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs', 'verbs'])
const documented: readonly string[] = Object.values(roleKeys)

/** Validates a role template from `extensions/`; returns undefined when it is malformed. */
export function checkRole(value: Json, definition: PluginDefinition, report: Report): RoleDeclaration | undefined {
  const metadata = value['metadata'] as Json
  const name = String(metadata['name'])
  if (!name.startsWith(`${definition.name}-`)) {
    report(['metadata', 'name'], `"${name}" must begin with "${definition.name}-", the name of the plugin`)
  }
  const labels = textsOf(metadata, 'labels', report)
  const annotations = textsOf(metadata, 'annotations', report)
  if (labels[roleKeys.template] !== 'true') {
    report(['metadata', 'labels'], `a role of a plugin is a template; add the label ${roleKeys.template}: "true"`)
  }
  for (const key of [roleKeys.dependencies, roleKeys.uiPermissions]) {
    const text = annotations[key]
    if (text !== undefined && textsIn(text) === undefined) {
      report(['metadata', 'annotations', key], `${key} must be a JSON array of texts, as a text: '["a", "b"]'`)
    }
  }
  for (const permission of textsIn(annotations[roleKeys.uiPermissions] ?? '[]') ?? []) {
    const wrong = uiPermissionFault(definition.name, permission)
    if (wrong === undefined) continue
    report(['metadata', 'annotations', roleKeys.uiPermissions], `the UI permission "${permission}" ${wrong}`)
  }
  const rules = value['rules'] ?? []
  if (!Array.isArray(rules)) {
    report(['rules'], 'must be a list')
    return undefined
  }
  const known = knownResources(definition)
  const sound = rules.filter((rule, index) => checkRule(rule, { index, known, plugin: definition.name, report }))
  return { apiVersion: 'v1alpha1', kind: 'Role', metadata: { name, labels, annotations }, rules: sound as Rule[] }
}

function textsOf(metadata: Json, part: 'labels' | 'annotations', report: Report): Readonly<Record<string, string>> {
  const given = metadata[part] ?? {}
  if (!isJson(given)) {
    report(['metadata', part], 'must be keys with texts')
    return {}
  }
  for (const [key, text] of Object.entries(given)) {
    const isKnown = documented.includes(key) || key.startsWith(roleKeys.aggregateTo)
    if (typeof text !== 'string') report(['metadata', part, key], `${key} must be a text; put it in quotes`)
    else if (!isKnown && isReserved(key)) {
      report(['metadata', part, key], `the key "${key}" is reserved; begin it with a domain of your own and "/"`)
    }
  }
  return Object.fromEntries(Object.entries(given).map(([key, text]) => [key, String(text)]))
}

/** Undefined for anything but a JSON array of strings. */
function textsIn(text: string): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) && list.every((one) => typeof one === 'string') ? list : undefined
  } catch {
    return undefined
  }
}

interface RuleFrame {
  readonly index: number
  readonly known: ReadonlyMap<string, readonly string[] | undefined>
  readonly plugin: string
  readonly report: Report
}

/** True when the rule is well-formed enough to describe. */
function checkRule(rule: unknown, frame: RuleFrame): boolean {
  const { index, report } = frame
  const place = ['rules', index] as const
  if (!isJson(rule)) {
    report(place, 'a rule has apiGroups, resources and verbs, or nonResourceURLs and verbs')
    return false
  }
  const unknown = Object.keys(rule).find((key) => !ruleKeys.has(key))
  if (unknown !== undefined) report([...place, unknown], `"${unknown}" is not a part of a rule`)
  const wanted = 'nonResourceURLs' in rule ? ['nonResourceURLs', 'verbs'] : ['apiGroups', 'resources', 'verbs']
  const missing = wanted.find((key) => !isTexts(rule[key]))
  if (missing !== undefined || ('resourceNames' in rule && !isTexts(rule['resourceNames']))) {
    report([...place, missing ?? 'resourceNames'], `${missing ?? 'resourceNames'} must be a list of texts, not empty`)
    return false
  }
  if ('nonResourceURLs' in rule && Object.keys(rule).length > 2) {
    report(place, 'a rule is about resources or about URLs, not both')
    return false
  }
  const { verbs: given } = rule as { readonly verbs: readonly string[] }
  for (const [at, verb] of given.entries()) {
    const isKnown = verb === '*' || verbs.some((one) => one === verb)
    if (!isKnown) report([...place, 'verbs', at], `rule names the verb "${verb}"; there are ${verbs.join(', ')}, *`)
  }
  if ('apiGroups' in rule) checkResources(rule, frame)
  return true
}

function checkResources(rule: Json, { index, known, plugin, report }: RuleFrame): void {
  const { apiGroups, resources } = rule as {
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
  }
  const own = apiGroups.filter((group) => known.has(group))
  for (const [at, resource] of resources.entries()) {
    const place = ['rules', index, 'resources', at] as const
    const isPrefixed = resource.startsWith(`${plugin}/`)
    if (isPrefixed && own.length === 0 && !apiGroups.includes('*')) {
      report(
        place,
        `rule names "${resource}" in ${apiGroups.join(', ')}; groups of this plugin are ${[...known.keys()].join(', ')}`,
      )
      continue
    }
    const plain = isPrefixed ? resource.slice(plugin.length + 1) : resource
    const lacking = own.find((group) => !(known.get(group)?.some((one) => one === plain || one === resource) ?? true))
    if (lacking === undefined || resource === '*') continue
    const has = known.get(lacking) ?? []
    report(
      place,
      has.length > 0
        ? `rule names "${plain}"; this plugin has ${has.join(', ')} in ${lacking}`
        : `rule names "${plain}"; this plugin has nothing in ${lacking}`,
    )
  }
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
}
