import type { RequestInfo, Rule } from '@pergola/api'
import { noRule, verbBit } from './grants.ts'
import { createPathTable } from './path-table.ts'
import { createResourceTable } from './resource-table.ts'
import type { ReachedRole } from './role-graph.ts'
import { ruleCovers } from './rule-matches.ts'

/** A rule that counts for somebody, and how it came to. It is understood. */
export interface EffectiveRule {
  readonly rule: Rule
  /** Its place among the rules of its role. */
  readonly index: number
  readonly reached: ReachedRole
}

export interface CompiledRules {
  /** How many places the rules take, for whoever keeps many of these. */
  readonly cells: number
  /** The first of the rules that allows the request. */
  find(request: RequestInfo): EffectiveRule | undefined
}

export interface CompileOptions {
  readonly pluginOf: (group: string) => string | undefined
  /** Rules that would go beyond this many places are not spread out but read one by one. */
  readonly maxCells: number
}

/** Rules as tables: a decision takes a handful of look-ups, however many rules there are. */
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

/** A rule on some groups, resources and names is found under each combination of them. */
function cellsOf(rule: Rule): number {
  if ('nonResourceURLs' in rule) return rule.nonResourceURLs.length
  const { apiGroups, resources, resourceNames = [] } = rule
  return apiGroups.length * resources.length * Math.max(1, resourceNames.length)
}

function covers(effective: EffectiveRule | undefined, request: RequestInfo, plugin: string | undefined): boolean {
  return effective !== undefined && ruleCovers(effective.rule, request, plugin)
}
