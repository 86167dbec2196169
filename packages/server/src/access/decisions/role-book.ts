import type { RequestInfo, Rule } from '@pergola/api'
import { createPause } from '../../base/pause.ts'
import { compileRules, type CompiledRules, type EffectiveRule } from './compile-rules.ts'
import { LRUCache } from 'lru-cache'
import { createRoleGraph, type RoleDefinition, type RoleGraph } from './role-graph.ts'
import { ruleCovers } from './rule-matches.ts'
import { isUnderstood } from './understood-rule.ts'

/** Maximum number of cached role sets. */
const maxSets = 1_000
/** Maximum number of cells of all cached sets, about 200 bytes each. */
const maxCells = 250_000
/** Maximum number of cells of one set. */
const maxCellsOfSet = 50_000

/** All roles at one moment, and what they allow. Immutable. */
export interface RoleBook extends RoleGraph {
  /** The plugin that owned a group at that moment. */
  readonly pluginOf: (group: string) => string | undefined
  /** The rules of a role that this host understands; others do not count. */
  rulesOf(definition: RoleDefinition): readonly OwnRule[]
  /** Every rule that counts for a holder of these roles; those with the shortest path first. */
  effectiveRules(names: readonly string[]): readonly EffectiveRule[]
  /** The roles that allow a request; roles that contain the rule come before roles that include it. Reads every rule. */
  rolesAllowing(request: RequestInfo): Promise<readonly string[]>
  /** Sorted, without duplicates. */
  uiPermissions(names: readonly string[]): readonly string[]
  /** Create it once per caller and use it for many requests. */
  hold(roles: readonly HeldRole[]): HeldRoles
}

interface OwnRule {
  readonly rule: Rule
  /** Position in the rules of its role. */
  readonly index: number
}

export interface HeldRole {
  readonly name: string
  /** The role binding that gives the role; absent for a role without a binding, such as `anonymous`. */
  readonly binding?: string
}

/** The roles of a caller. */
export interface HeldRoles {
  readonly book: RoleBook
  readonly roles: readonly HeldRole[]
  /** When the first of them expires, if one does. */
  readonly until?: number
  /** Limits these roles: a request is allowed only when `within` allows it, too. */
  readonly within?: HeldRoles
  /** The rule that allows the request, by a shortest path; undefined if no rule does. */
  find(request: RequestInfo): EffectiveRule | undefined
}

export interface RoleBookOptions {
  /** Must always return the same answer: compiled rules rely on it. */
  readonly pluginOf: (group: string) => string | undefined
  readonly maxCellsOfSet?: number
}

export function createRoleBook(definitions: readonly RoleDefinition[], options: RoleBookOptions): RoleBook {
  const { pluginOf } = options
  const graph = createRoleGraph(definitions)
  const compiled = new LRUCache<string, CompiledRules>({
    max: maxSets,
    maxSize: maxCells,
    // A set larger than the bound is cached alone, not left out: compiling it for every request would cost more.
    sizeCalculation: ({ cells }) => Math.max(1, Math.min(cells, maxCells)),
  })
  const rulesOf = createOwnRules()
  const effectiveRules = (names: readonly string[]) =>
    graph.reach(names).flatMap((reached) => rulesOf(reached.definition).map((own) => ({ ...own, reached })))
  const compile = (key: string, names: readonly string[]): CompiledRules => {
    const rules = compileRules(effectiveRules(names), { pluginOf, maxCells: options.maxCellsOfSet ?? maxCellsOfSet })
    compiled.set(key, rules)
    return rules
  }
  const book: RoleBook = {
    ...graph,
    pluginOf,
    rulesOf,
    effectiveRules,
    rolesAllowing: async (request) => {
      const plugin = request.kind === 'resource' ? pluginOf(request.group) : undefined
      const pause = createPause()
      const names: string[] = []
      for (const role of graph.roles.values()) {
        if (rulesOf(role).some(({ rule }) => ruleCovers(rule, request, plugin))) names.push(role.name)
        await pause()
      }
      return graph.heldThrough(names.toSorted())
    },
    uiPermissions: (names) => {
      const permissions = graph.reach(names).flatMap(({ definition }) => definition.uiPermissions)
      return [...new Set(permissions)].toSorted()
    },
    hold: (roles) => {
      const existing = roles.map(({ name }) => name).filter((name) => graph.roles.has(name))
      const names = [...new Set(existing)].toSorted()
      const key = names.join(' ')
      return { book, roles, find: (request) => (compiled.get(key) ?? compile(key, names)).find(request) }
    },
  }
  return book
}

/** The understood rules of a role, cached after the first use. */
function createOwnRules(): (definition: RoleDefinition) => readonly OwnRule[] {
  const known = new Map<RoleDefinition, readonly OwnRule[]>()
  return (definition) => {
    const read =
      known.get(definition) ??
      definition.rules.map((rule, index) => ({ rule, index })).filter(({ rule }) => isUnderstood(rule))
    known.set(definition, read)
    return read
  }
}
