import type { Rule } from '@pergola/api'
import type { ListedModel } from '../models/listed-models.ts'

/** Actions as the console shows them; each stands for one or more verbs of the API. */
export const deeds = ['see', 'create', 'change', 'delete'] as const
export type Deed = (typeof deeds)[number]

const deedOfVerb: Readonly<Record<string, Deed>> = {
  get: 'see',
  list: 'see',
  watch: 'see',
  create: 'create',
  update: 'change',
  patch: 'change',
  delete: 'delete',
  deletecollection: 'delete',
}

/** The verb to ask about for an action. Without a name, `see` means `list`. */
export function verbOf(deed: Deed, hasName: boolean): string {
  if (deed === 'see') return hasName ? 'get' : 'list'
  return deed === 'change' ? 'update' : deed
}

/** The actions that the verbs allow, in the order of `deeds`, without duplicates. */
export function deedsOf(verbs: readonly string[]): readonly Deed[] {
  if (verbs.includes('*')) return deeds
  const found = new Set(verbs.map((verb) => deedOfVerb[verb]))
  return deeds.filter((deed) => found.has(deed))
}

type Named = Pick<ListedModel, 'group' | 'plural'>

function has(texts: readonly string[], text: string): boolean {
  return texts.includes('*') || texts.includes(text)
}

/** Whether the rule covers all objects of the model. */
function isAbout(rule: Rule, { group, plural }: Named): boolean {
  if ('nonResourceURLs' in rule || (rule.resourceNames ?? []).length > 0) return false
  // A plugin names its own models `plugin/plural`.
  const isOfPlugin = rule.resources.some((one) => one.split('/')[1] === plural)
  return has(rule.apiGroups, group) && (has(rule.resources, plural) || isOfPlugin)
}

export function allowsEverything(rules: readonly Rule[]): boolean {
  return rules.some(
    (rule) =>
      !('nonResourceURLs' in rule) &&
      (rule.resourceNames ?? []).length === 0 &&
      [rule.apiGroups, rule.resources, rule.verbs].every((part) => part.includes('*')),
  )
}

export interface RuleSummary<Model> {
  /** Groups the models that have the same actions. */
  readonly parts: readonly { readonly deeds: readonly Deed[]; readonly models: readonly Model[] }[]
  /** Rules that cover no whole model: single objects, plugin routes, paths. */
  readonly others: number
}

export function summaryOf<Model extends Named>(rules: readonly Rule[], models: readonly Model[]): RuleSummary<Model> {
  const ofModels = models.map((model) => ({
    model,
    deeds: deedsOf(rules.filter((rule) => isAbout(rule, model)).flatMap(({ verbs }) => verbs)),
  }))
  const groups = Map.groupBy(
    ofModels.filter((one) => one.deeds.length > 0),
    (one) => one.deeds.join(),
  )
  return {
    parts: [...groups.values()].map((same) => ({
      deeds: same[0]?.deeds ?? [],
      models: same.map(({ model }) => model),
    })),
    others: rules.filter((rule) => !models.some((model) => isAbout(rule, model))).length,
  }
}
