import type { ModelDeclaration, RequestInfo, ResourceRequest } from '@pergola/api'
import type { RoleTemplate } from '../role-template.ts'
import type { Report } from './faults.ts'
import { infoOf, type Pattern, type Segment } from './route-path.ts'

/** A route or owned API, and the template that allows it. */
export interface Reachable {
  /** Location in the author's code: `uc "POST /todos/:name/share"`. */
  readonly where: string
  readonly allow: RoleTemplate | undefined
  readonly patterns: readonly Pattern[]
}

interface Reach {
  readonly of: Reachable
  readonly pattern: Pattern
  readonly info: RequestInfo
}

/**
 * Reports routes that the same request could match, and routes with different templates that one rule would allow together, so
 * that a caller could reach more than the code says.
 */
export function overlapFaults(reachable: readonly Reachable[], report: Report): void {
  const reaches = reachable.flatMap((of) => of.patterns.map((pattern) => ({ of, pattern, info: infoOf(pattern) })))
  const told = new Set<string>()
  const tell = (first: Reach, second: Reach, message: string) => {
    const pair = [first.of.where, second.of.where].toSorted().join('\n')
    if (!told.has(pair)) report(first.of.where, message)
    told.add(pair)
  }
  for (const [at, second] of reaches.entries()) {
    for (const first of reaches.slice(0, at)) {
      if (first.of.where === second.of.where || first.info.verb !== second.info.verb) continue
      if (clash(first.pattern, second.pattern)) {
        tell(second, first, `clashes with ${first.of.where}: one request could mean both; change a path`)
      }
      for (const [one, other] of [
        [first, second],
        [second, first],
      ] as const) {
        const { allow } = one.of
        if (!allow || holds(allow, other.of.allow) || !coversToo(one, other)) continue
        tell(one, other, sharedRule(one.of, other.of))
      }
    }
  }
}

/** True when `one` is `other` or depends on it, directly or indirectly. */
function holds(one: RoleTemplate, other: RoleTemplate | undefined, seen = new Set<RoleTemplate>()): boolean {
  if (one === other || seen.has(one)) return one === other
  seen.add(one)
  return one.dependencies.some((below) => typeof below !== 'string' && holds(below, other, seen))
}

function sharedRule(one: Reachable, other: Reachable): string {
  const whom = ({ allow }: Reachable) =>
    allow ? `the template "${allow.template}"` : 'nobody but the super administrator'
  return `is for ${whom(one)}, and no rule could allow it without allowing ${other.where}, which is for ${whom(other)}; give both the same template, or change a path`
}

/** True when both match the same request and neither is more specific in every segment. */
function clash(first: Pattern, second: Pattern): boolean {
  if (first.segments.length !== second.segments.length) return false
  const pairs = first.segments.map((segment, at) => [segment, second.segments[at] ?? segment] as const)
  if (!pairs.every(([one, other]) => mayEqual(one, other))) return false
  return pairs.some(([one, other]) => isExacter(one, other)) === pairs.some(([one, other]) => isExacter(other, one))
}

function isExacter(one: Segment, other: Segment): boolean {
  return 'literal' in one && 'parameter' in other
}

function mayEqual(one: Segment, other: Segment): boolean {
  return !('literal' in one && 'literal' in other) || one.literal === other.literal
}

/** True when the rule for `one` also allows `other`. Both must have the same verb. */
function coversToo(one: Reach, other: Reach): boolean {
  if (one.info.kind === 'resource' && other.info.kind === 'resource') {
    const isSame = resourceOf(one.info) === resourceOf(other.info)
    return isSame && !isLiteral(one.pattern.segments[4])
  }
  if (one.info.kind === 'resource' || other.info.kind === 'resource') return false
  const first = one.pattern.segments.findIndex((segment) => 'parameter' in segment)
  const prefix = first < 0 ? one.pattern.segments : one.pattern.segments.slice(0, first)
  return prefix.every((segment, at) => mayEqual(segment, other.pattern.segments[at] ?? segment))
}

function isLiteral(segment: Segment | undefined): boolean {
  return segment !== undefined && 'literal' in segment
}

function resourceOf({ group, resource, subresource }: ResourceRequest): string {
  return [group, resource, ...(subresource === undefined ? [] : [subresource])].join('/')
}

/**
 * In rules, `<plugin>/<resource>` and `<resource>/<sub-resource>` look alike. Reports names that can be read both ways, because
 * a rule would then grant more than its author intended.
 */
export function prefixFaults(
  plugin: string,
  parts: { readonly models: readonly ModelDeclaration[]; readonly reachable: readonly Reachable[] },
  report: Report,
): void {
  const infos = parts.reachable
    .flatMap(({ patterns }) => patterns.map(infoOf))
    .filter((info) => info.kind === 'resource')
  const resources = new Set([...parts.models.map(({ plural }) => plural), ...infos.map(({ resource }) => resource)])
  const below = [
    ...infos.map(({ resource, subresource }) => ({ resource, subresource })),
    ...parts.models.flatMap(({ plural, statusSubresource }) =>
      statusSubresource ? [{ resource: plural, subresource: 'status' }] : [],
    ),
  ]
  const twofold = below.find(
    ({ resource, subresource }) => resource === plugin && subresource !== undefined && resources.has(subresource),
  )
  if (twofold?.subresource === undefined) return
  const { subresource } = twofold
  report(
    'name',
    `"${plugin}/${subresource}" in a rule could mean the resource "${subresource}" of this plugin, or the sub-resource "${subresource}" of its resource "${plugin}"; change one of the names`,
  )
}
