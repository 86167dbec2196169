import type { Right } from './rights.ts'

/** Formats a right: `get secrets smtp`. Adds the group unless it is `home`: `list posts in content.platform.run`. */
export function rightWords(right: Right, home: string): string {
  const verbs = right.verbs.join(',')
  if ('url' in right) return `${verbs} ${right.url}`
  const { group, resource, names } = right
  return [
    verbs,
    resource === '*' ? 'everything' : resource,
    ...(names.length > 0 ? [names.join(',')] : []),
    ...(group === home ? [] : [`in ${groupWords(group)}`]),
  ].join(' ')
}

export function groupWords(group: string): string {
  if (group === '*') return 'every group'
  return group === '' ? 'the core group' : group
}
