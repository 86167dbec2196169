import { verbs, type Rule } from '@pergola/api'
import { isJsonObject } from '../../base/json-object.ts'

/**
 * Whether this host understands every part of a stored rule. A rule written by a newer host may have unknown parts; such a rule
 * never matches, because the unknown part may narrow it.
 */
export function isUnderstood(rule: unknown): rule is Rule {
  if (!isJsonObject(rule)) return false
  const { fields, required } = Object.hasOwn(rule, 'nonResourceURLs') ? pathRule : resourceRule
  return (
    required.every((field) => Object.hasOwn(rule, field)) &&
    Object.entries(rule).every(([field, words]) => holdsOnly(words, fields.get(field))) &&
    (rule['verbs'] as unknown[]).length > 0
  )
}

type Check = (word: string) => boolean

interface RuleKind {
  readonly fields: ReadonlyMap<string, Check>
  readonly required: readonly string[]
}

const knownVerbs = new Set<string>([...verbs, '*'])
const isVerb: Check = (word) => knownVerbs.has(word)
const isPlain: Check = (word) => !word.includes('*')
const isPlainOrStar: Check = (word) => word === '*' || isPlain(word)
/** A star stands alone or after the last slash. */
const isUrl: Check = (word) => word === '*' || isPlain(word.endsWith('/*') ? word.slice(0, -1) : word)

const resourceRule: RuleKind = {
  fields: new Map([
    ['apiGroups', isPlainOrStar],
    ['resources', isPlainOrStar],
    ['resourceNames', isPlain],
    ['verbs', isVerb],
  ]),
  required: ['apiGroups', 'resources', 'verbs'],
}
const pathRule: RuleKind = {
  fields: new Map([
    ['nonResourceURLs', isUrl],
    ['verbs', isVerb],
  ]),
  required: ['nonResourceURLs', 'verbs'],
}

/** An unknown field has no check, so its values are not understood. */
function holdsOnly(words: unknown, check: Check | undefined): boolean {
  return check !== undefined && Array.isArray(words) && words.every((word) => typeof word === 'string' && check(word))
}
