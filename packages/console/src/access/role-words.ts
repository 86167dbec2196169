import { roleKeys, type Rule, type Role } from '@pergola/api'

export function displayNameOf({ metadata }: Role): string {
  return metadata.annotations?.[roleKeys.displayName] ?? metadata.name
}

export function isTemplate({ metadata }: Role): boolean {
  return metadata.labels?.[roleKeys.template] === 'true'
}

export function isHidden({ metadata }: Role): boolean {
  return metadata.labels?.[roleKeys.hidden] === 'true'
}

export function moduleOf({ metadata }: Role): string | undefined {
  return metadata.annotations?.[roleKeys.module]
}

/** Names of the roles that it depends on; empty if the annotation is invalid. */
export function dependenciesOf({ metadata }: Role): readonly string[] {
  try {
    const names: unknown = JSON.parse(metadata.annotations?.[roleKeys.dependencies] ?? '[]')
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  } catch {
    return []
  }
}

/** `posts, posts/status in content.platform.run`, or paths. */
export function ruleTarget(rule: Rule): string {
  if ('nonResourceURLs' in rule) return rule.nonResourceURLs.join(', ')
  const { apiGroups, resources, resourceNames } = rule
  const named = resourceNames && resourceNames.length > 0 ? ` "${resourceNames.join('", "')}"` : ''
  const groups = apiGroups.filter((group) => group !== '')
  return `${resources.join(', ')}${named}${groups.length > 0 ? ` · ${groups.join(', ')}` : ''}`
}

export interface EffectiveRule {
  readonly rule: Rule
  /** The path of roles from this role to the one that contains the rule. */
  readonly path: readonly string[]
}

/** Effective rules as the host computes them: own rules, dependencies and aggregation. */
export function effectiveRules(role: Role, all: readonly Role[]): readonly EffectiveRule[] {
  const byName = new Map(all.map((one) => [one.metadata.name, one]))
  const seen = new Set<string>()
  const found: EffectiveRule[] = []
  let ahead: { readonly role: Role; readonly path: readonly string[] }[] = [{ role, path: [] }]
  while (ahead.length > 0) {
    const next: typeof ahead = []
    for (const { role: here, path } of ahead) {
      const { name } = here.metadata
      if (seen.has(name)) continue
      seen.add(name)
      found.push(...here.rules.map((rule) => ({ rule, path })))
      const aggregated = all.filter(({ metadata }) => metadata.labels?.[`${roleKeys.aggregateTo}${name}`] === 'true')
      const needed = dependenciesOf(here).flatMap((one) => byName.get(one) ?? [])
      for (const one of [...needed, ...aggregated]) next.push({ role: one, path: [...path, one.metadata.name] })
    }
    ahead = next
  }
  return found
}

/** The role and all roles that include its rights: they depend on it, or it aggregates to them. */
export function rolesThrough(name: string, all: readonly Role[]): readonly string[] {
  const found = new Set([name])
  // Iterating a Set also visits entries added during the loop.
  for (const here of found) {
    const source = all.find(({ metadata }) => metadata.name === here)
    for (const one of all) {
      const isAggregated = source?.metadata.labels?.[`${roleKeys.aggregateTo}${one.metadata.name}`] === 'true'
      if (isAggregated || dependenciesOf(one).includes(here)) found.add(one.metadata.name)
    }
  }
  return [...found]
}

/** The chosen roles and all their dependencies, each with the roles that need it. */
export function withNeeded(chosen: ReadonlySet<string>, all: readonly Role[]): ReadonlyMap<string, readonly string[]> {
  const byName = new Map(all.map((one) => [one.metadata.name, one]))
  const needed = new Map<string, string[]>()
  const add = (name: string) => {
    for (const one of dependenciesOf(byName.get(name) ?? ({ metadata: {} } as Role))) {
      const by = needed.get(one)
      if (by?.includes(name)) continue
      needed.set(one, [...(by ?? []), name])
      if (!by) add(one)
    }
  }
  for (const name of chosen) add(name)
  return needed
}
