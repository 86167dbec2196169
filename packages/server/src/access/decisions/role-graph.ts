import type { Rule } from '@pergola/api'

/** The parts of a role that authorization needs. */
export interface RoleDefinition {
  readonly name: string
  /** As stored, possibly by a newer host. A rule that this host does not understand grants nothing. */
  readonly rules: readonly Rule[]
  /** Roles whose rights this role includes. */
  readonly dependencies: readonly string[]
  /** Roles that include this role's rights; they need not exist. */
  readonly aggregatesTo: readonly string[]
  readonly uiPermissions: readonly string[]
  readonly isTemplate?: boolean
  /** Name shown to people. */
  readonly displayName?: string
}

/** How a role includes the rights of `role`: it depends on `role`, or `role` aggregates to it. */
export interface Step {
  readonly by: 'dependency' | 'aggregation'
  readonly role: string
}

/** A role whose rules count for a set of roles, and the shortest path to it. */
export interface ReachedRole {
  readonly definition: RoleDefinition
  /** Absent for the roles of the set itself. */
  readonly from?: { readonly reached: ReachedRole; readonly by: Step['by'] }
}

/** A role that depends on a role which does not exist. */
interface MissingDependency {
  readonly role: string
  readonly dependency: string
}

/** Which roles include the rights of which others. */
export interface RoleGraph {
  readonly roles: ReadonlyMap<string, RoleDefinition>
  readonly missing: readonly MissingDependency[]
  /** The roles and all roles whose rights they include, nearest first, without duplicates. Skips roles that do not exist. */
  reach(names: readonly string[]): readonly ReachedRole[]
  /** The reverse: the roles and all roles that include their rights, nearest first. */
  heldThrough(names: readonly string[]): readonly string[]
}

export function createRoleGraph(definitions: readonly RoleDefinition[]): RoleGraph {
  const roles = new Map(definitions.map((definition) => [definition.name, definition]))
  const aggregated = new Map<string, string[]>()
  const dependents = new Map<string, string[]>()
  for (const { name, dependencies, aggregatesTo } of definitions) {
    for (const target of aggregatesTo) append(aggregated, target, name)
    for (const dependency of dependencies) append(dependents, dependency, name)
  }
  const missing = definitions.flatMap(({ name, dependencies }) =>
    dependencies.filter((dependency) => !roles.has(dependency)).map((dependency) => ({ role: name, dependency })),
  )
  return {
    roles,
    missing,
    reach: (names) => reach(names, roles, aggregated),
    heldThrough: (names) => {
      const found = new Set(names)
      // Iterating a Set also visits entries added during the loop, so this walks breadth first.
      for (const name of found) {
        for (const dependent of dependents.get(name) ?? []) found.add(dependent)
        for (const target of roles.get(name)?.aggregatesTo ?? []) if (roles.has(target)) found.add(target)
      }
      return [...found]
    },
  }
}

/** The steps from the role of the set to the reached role; empty when they are the same. */
export function pathTo(reached: ReachedRole): readonly Step[] {
  const steps: Step[] = []
  for (let at = reached; at.from; at = at.from.reached) steps.push({ by: at.from.by, role: at.definition.name })
  return steps.toReversed()
}

/** The role of the set from which the role was reached. */
export function origin(reached: ReachedRole): string {
  let at = reached
  while (at.from) at = at.from.reached
  return at.definition.name
}

/** Breadth first from all names at once: the first path found to a role is a shortest one, and cycles end. */
function reach(
  names: readonly string[],
  roles: ReadonlyMap<string, RoleDefinition>,
  aggregated: ReadonlyMap<string, readonly string[]>,
): readonly ReachedRole[] {
  const found = new Map<string, ReachedRole>()
  const add = (name: string, from?: ReachedRole['from']) => {
    const definition = roles.get(name)
    if (definition && !found.has(name)) found.set(name, from ? { definition, from } : { definition })
  }
  for (const name of names) add(name)
  for (const [name, reached] of found) {
    for (const dependency of reached.definition.dependencies) add(dependency, { reached, by: 'dependency' })
    for (const source of aggregated.get(name) ?? []) add(source, { reached, by: 'aggregation' })
  }
  return [...found.values()]
}

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
