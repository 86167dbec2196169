import { verbs, type Rule } from '@pergola/api'
import type { AnyModel } from '../model/model.ts'
import type { AnyPlugin } from '../plugin.ts'
import type { Grant } from '../role-template.ts'
import { optionFaults } from './option-faults.ts'
import { infoOf, templateOf, type Pattern } from './route-path.ts'

export interface RuleFrame {
  readonly plugin: AnyPlugin
  /** Groups of the plugin. */
  readonly groups: readonly string[]
}

/** Converts a grant to a rule; returns a rule unchanged. */
export function resolveRule(rule: Grant | Rule, frame: RuleFrame, fault: (message: string) => void): Rule {
  optionFaults('rule', rule, fault)
  const known: readonly string[] = [...verbs, '*']
  const unknown = rule.verbs.find((verb) => !known.includes(verb))
  if (unknown !== undefined) fault(`"${unknown}" is no verb; there are ${known.join(', ')}`)
  if (rule.verbs.length === 0) fault(`has no verbs; name some of ${known.join(', ')}`)
  if (!('model' in rule)) return rule
  const { model, names, subresource } = rule
  const missing = missingModelFault(model, frame)
  if (missing !== undefined) fault(missing)
  const resource = subresource === undefined ? model.plural : `${model.plural}/${subresource}`
  return {
    apiGroups: [model.group],
    resources: [frame.groups.includes(model.group) ? `${frame.plugin.name}/${resource}` : resource],
    ...(names.length > 0 && { resourceNames: names }),
    verbs: rule.verbs,
  }
}

/** A model in one of the plugin's groups must be listed in its `models`. */
export function missingModelFault(model: AnyModel, { plugin, groups }: RuleFrame): string | undefined {
  if (!groups.includes(model.group) || plugin.models?.includes(model)) return undefined
  return `is about ${model.kind}, which is not in models of the plugin; add it there`
}

/** The narrowest rule that allows requests to a path. */
export function ruleOf(pattern: Pattern, plugin: string): Rule {
  const info = infoOf(pattern)
  if (info.kind === 'non-resource') return { nonResourceURLs: [urlOf(pattern)], verbs: [info.verb] }
  const { group, resource, subresource, verb } = info
  const name = pattern.segments[4]
  return {
    apiGroups: [group],
    resources: [`${plugin}/${resource}${subresource === undefined ? '' : `/${subresource}`}`],
    ...(name && 'literal' in name && { resourceNames: [name.literal] }),
    verbs: [verb],
  }
}

/** Replaces the first parameter and everything after it by `*`. */
function urlOf({ segments }: Pattern): string {
  const first = segments.findIndex((segment) => 'parameter' in segment)
  return first < 0 ? templateOf(segments) : `${templateOf(segments.slice(0, first))}/*`
}

/** Merges rules that differ only in their verbs. */
export function mergeRules(rules: readonly Rule[]): readonly Rule[] {
  const merged = new Map<string, Rule>()
  for (const { verbs: allowed, ...what } of rules) {
    const key = JSON.stringify(what)
    const all = [...new Set([...(merged.get(key)?.verbs ?? []), ...allowed])]
    merged.set(key, { ...what, verbs: all.includes('*') ? ['*'] : all })
  }
  return [...merged.values()]
}
