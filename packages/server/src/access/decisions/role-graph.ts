import type { Rule } from '@pergola/api'

/** What authorization has to know of a role. */
export interface RoleDefinition {
  readonly name: string
  /** As they are stored, even by a newer host: one that is not understood grants nothing. */
  readonly rules: readonly Rule[]
  /** Roles whose rights this one has too. */
  readonly dependencies: readonly string[]
  /** Roles that have this one's rights too; they need not exist. */
  readonly aggregatesTo: readonly string[]
  readonly uiPermissions: readonly string[]
  readonly isTemplate?: boolean
}

/** How a role comes to the rights of `role`: it depends on it, or `role` aggregates to it. */
export interface Step {
  readonly by: 'dependency' | 'aggregation'
  readonly role: string
}

/** A role whose own rules count for a set of roles, and the shortest way there. */
export interface ReachedRole {
  readonly definition: RoleDefinition
  /** Absent for the roles of the set itself. */
  readonly from?: { readonly reached: ReachedRole; readonly by: Step['by'] }
}

/** A role that names another one which does not exist. */
interface MissingDependency {
  readonly role: string
  readonly dependency: string
}

/** Which role has the rights of which. */
export interface RoleGraph {
  readonly roles: ReadonlyMap<string, RoleDefinition>
  readonly missing: readonly MissingDependency[]
  /** The roles, and all whose rights they have too, nearest first; each once. What does not exist is left out. */
  reach(names: readonly string[]): readonly ReachedRole[]
  /** The other way: the roles, and all that have their rights too, nearest first. */
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
      // A set is walked through to what is added on the way: first the nearest.
      for (const name of found) {
        for (const dependent of dependents.get(name) ?? []) found.add(dependent)
        for (const target of roles.get(name)?.aggregatesTo ?? []) if (roles.has(target)) found.add(target)
      }
      return [...found]
    },
  }
}

/** From the role of the set to the reached one; empty where that is the same. */
export function pathTo(reached: ReachedRole): readonly Step[] {
  const steps: Step[] = []
  for (let at = reached; at.from; at = at.from.reached) steps.push({ by: at.from.by, role: at.definition.name })
  return steps.toReversed()
}

/** The role of the set by which it was reached. */
export function origin(reached: ReachedRole): string {
  let at = reached
  while (at.from) at = at.from.reached
  return at.definition.name
}

/** Breadth first from all names at once: the first way to a role is a shortest one, and a cycle ends by itself. */
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
