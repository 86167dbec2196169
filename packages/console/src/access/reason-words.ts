import type { AccessReason, AccessReasonValues } from '@pergola/api'
import type { Words } from '../words/en.ts'
import { deedsOf } from './deeds.ts'

/** Names for people; without one, the name of the API. */
interface Names {
  readonly nameOf: (role: string) => string
  readonly dataOf: (resource: string) => string
}

/** The actions that the verbs allow: `see, change`. A verb without a translation stays unchanged. */
export function deedWords(verbs: readonly string[], { deeds, why }: Words): string {
  if (verbs.includes('*')) return why.everything
  const known = deedsOf(verbs).map((deed) => deeds[deed])
  return (known.length > 0 ? known : verbs).join(why.and)
}

function dataWords(rule: AccessReasonValues['rule'], { why }: Words, dataOf: Names['dataOf']): string {
  const { resources = [], names = [], paths = [] } = rule
  const data = [...resources.map((one) => (one === '*' ? why.allData : dataOf(one))), ...paths].join(why.and)
  return names.length > 0 ? `${data} (${names.join(why.and)})` : data
}

/** Translates a reason of the server into the console's language. */
export function reasonWords(reason: AccessReason, words: Words, { nameOf, dataOf }: Names): string {
  const { reasons } = words
  switch (reason.code) {
    case 'held':
      return reasons.held(nameOf(reason.values.role))
    case 'path':
      return reasons.path(nameOf(reason.values.role), reason.values.roles.map(nameOf))
    case 'rule':
      return reasons.rule(deedWords(reason.values.verbs, words), dataWords(reason.values, words, dataOf))
    case 'nearest':
      return reasons.nearest(
        nameOf(reason.values.role),
        deedWords(reason.values.verbs, words),
        dataWords(reason.values, words, dataOf),
      )
    case 'no-role':
      return reasons.noRole
    case 'no-rule-near':
      return reasons.noRuleNear(reason.values.roles.map(nameOf))
    case 'unknown-rule':
      return reasons.unknownRule(nameOf(reason.values.role))
    case 'role-of-plugin':
      return reasons.roleOfPlugin(nameOf(reason.values.role), reason.values.plugin)
    case 'templates': {
      const { templates } = reason.values
      return templates.length === 0 ? reasons.noTemplates : reasons.templates(templates.map(nameOf))
    }
  }
}
