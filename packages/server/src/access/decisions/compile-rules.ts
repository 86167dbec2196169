import type { RequestInfo, Rule } from '@pergola/api'
import { noRule, verbBit } from './grants.ts'
import { createPathTable } from './path-table.ts'
import { createResourceTable } from './resource-table.ts'
import type { ReachedRole } from './role-graph.ts'
import { ruleCovers } from './rule-matches.ts'

/** An understood rule that counts for a caller, and the path by which the caller holds it. */
export interface EffectiveRule {
  readonly rule: Rule
  /** Position in the rules of its role. */
  readonly index: number
  readonly reached: ReachedRole
}

export interface CompiledRules {
  /** Size in table cells, so that a cache can bound its memory. */
  readonly cells: number
  /** The first rule that allows the request. */
  find(request: RequestInfo): EffectiveRule | undefined
}

export interface CompileOptions {
  readonly pluginOf: (group: string) => string | undefined
  /** Rules that would exceed this many cells are not added to the tables but scanned one by one. */
  readonly maxCells: number
}

/** Rules compiled into tables: a decision takes a few look-ups, however many rules there are. */
export function compileRules(rules: readonly EffectiveRule[], options: CompileOptions): CompiledRules {
  const { pluginOf, maxCells } = options
  const resources = createResourceTable(pluginOf)
  const paths = createPathTable()
  const wide: number[] = []
  let cells = 0
  for (const [at, { rule }] of rules.entries()) {
    const size = cellsOf(rule)
    if (cells + size > maxCells) {
      wide.push(at)
      continue
    }
    cells += size
    if ('nonResourceURLs' in rule) paths.add(rule, at)
    else resources.add(rule, at)
  }

  const firstWide = (request: RequestInfo) => {
    const plugin = request.kind === 'resource' ? pluginOf(request.group) : undefined
    return wide.find((at) => covers(rules[at], request, plugin)) ?? noRule
  }
  return {
    cells,
    find: (request) => {
      const verb = verbBit(request.verb)
      const spread = request.kind === 'resource' ? resources.first(request, verb) : paths.first(request.path, verb)
      const first = wide.length === 0 ? spread : Math.min(spread, firstWide(request))
      return first === noRule ? undefined : rules[first]
    },
  }
}

/** A rule takes one cell for each combination of its groups, resources and names. */
function cellsOf(rule: Rule): number {
  if ('nonResourceURLs' in rule) return rule.nonResourceURLs.length
  const { apiGroups, resources, resourceNames = [] } = rule
  return apiGroups.length * resources.length * Math.max(1, resourceNames.length)
}

function covers(effective: EffectiveRule | undefined, request: RequestInfo, plugin: string | undefined): boolean {
  return effective !== undefined && ruleCovers(effective.rule, request, plugin)
}
