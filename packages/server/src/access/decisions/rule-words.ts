import type { RequestInfo, Rule } from '@pergola/api'
import { describeGroup } from './describe-request.ts'
import { resourceOf } from './rule-matches.ts'
import type { Miss } from './rule-misses.ts'

const maxListed = 6

/** What a rule allows, in words that follow "allows": `get, list on todos "milk"`. */
export function ruleWords(rule: Rule): string {
  return `${verbWords(rule)} on ${targetWords(rule)}${isEverywhere(rule) ? ' in every group' : ''}`
}

/** What a rule allows and what it misses, in words that follow "allows": `get, list but not delete`. */
export function missWords(rule: Rule, misses: readonly Miss[], request: RequestInfo): string {
  const isOnlyVerb = misses.every((miss) => miss === 'verb')
  const target = isOnlyVerb ? '' : ` on ${targetWords(rule)}`
  const groups =
    misses.includes('group') && 'apiGroups' in rule ? ` in ${listed(rule.apiGroups.map(describeGroup))}` : ''
  const missed = misses.map((miss) => missedPart(miss, request)).join(', nor ')
  return `${verbWords(rule)}${target}${groups} but not ${missed}`
}

function missedPart(miss: Miss, request: RequestInfo): string {
  if (miss === 'verb') return request.verb
  if (request.kind === 'non-resource') return `on ${request.path}`
  if (miss === 'group') return `in ${describeGroup(request.group)}`
  if (miss !== 'name') return `on ${resourceOf(request)}`
  return request.name === undefined ? 'without a name' : `on "${request.name}"`
}

function verbWords({ verbs }: Rule): string {
  return verbs.includes('*') ? 'every verb' : listed(verbs)
}

function targetWords(rule: Rule): string {
  if ('nonResourceURLs' in rule) return rule.nonResourceURLs.includes('*') ? 'every path' : listed(rule.nonResourceURLs)
  const { resources, resourceNames = [] } = rule
  const target = resources.includes('*') ? 'every resource' : listed(resources)
  return resourceNames.length === 0 ? target : `${target} ${listed(resourceNames.map((name) => `"${name}"`))}`
}

function isEverywhere(rule: Rule): boolean {
  return 'apiGroups' in rule && rule.apiGroups.includes('*')
}

function listed(words: readonly string[]): string {
  const more = words.length - maxListed
  return more > 0 ? `${words.slice(0, maxListed).join(', ')} and ${more} more` : words.join(', ')
}
