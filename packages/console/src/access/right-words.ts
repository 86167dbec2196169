import type { Rule } from '@pergola/api'
import { manyInText } from '../models/kind-words.ts'
import type { ListedModel } from '../models/listed-models.ts'
import type { Words } from '../words/en.ts'
import { deedsOf } from './deeds.ts'
import { ruleTarget } from './role-words.ts'

export interface RightWords {
  readonly text: string
  /** Verbs and target in the words of the API. */
  readonly code: string
}

/** Describes a right of one target. */
export function rightWords(rule: Rule, models: readonly ListedModel[], words: Words): RightWords {
  const deeds = deedsOf(rule.verbs).map((deed) => words.deeds[deed])
  const text = words.roleDoes.all([words.roleDoes.part(deeds, [targetOf(rule, models, words)])])
  return { text, code: `${rule.verbs.join(', ')} · ${ruleTarget(rule)}` }
}

function targetOf(rule: Rule, models: readonly ListedModel[], { why }: Words): string {
  if ('nonResourceURLs' in rule) return rule.nonResourceURLs.join(', ')
  const [group = '', resource = '', name] = [rule.apiGroups[0], rule.resources[0], rule.resourceNames?.[0]]
  const model = models.find((one) => one.group === group && one.plural === resource)
  const data = model ? manyInText(model) : resource === '*' ? why.allData : resource
  return name === undefined ? data : why.one(data, name)
}
