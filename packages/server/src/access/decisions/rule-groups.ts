import type { Rule } from '@pergola/api'

/** Whether the rule covers only resources of such groups, or paths below them. */
export function isOnlyIn(rule: Rule, isOwn: (group: string) => boolean): boolean {
  if ('nonResourceURLs' in rule) {
    return rule.nonResourceURLs.every((path) => path.startsWith('/apis/') && isOwn(path.split('/')[2] ?? ''))
  }
  return rule.apiGroups.every(isOwn)
}
