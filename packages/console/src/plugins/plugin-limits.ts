import { limitNames, type Plugin, type PluginLimits } from '@pergola/api'
import type { PluginUse, Replica } from '../server/use-replicas.ts'
import { mebibytes } from './plugin-uses.ts'

export interface LimitRow {
  readonly limit: keyof PluginLimits
  /** On the server with the most; undefined if it is not measured. */
  readonly used: number | undefined
  /** Undefined for the default of servers that are not known. */
  readonly most: number | undefined
  readonly by: 'operator' | 'plugin' | 'server'
}

export const unitOfLimit: Readonly<Record<keyof PluginLimits, string>> = {
  memory: 'MiB',
  scratch: 'MiB',
  processes: '',
}

/** What a plugin may use on each server, and who decided it. */
export function limitRows({ metadata, spec }: Plugin, replicas: readonly Replica[] = []): readonly LimitRow[] {
  const uses = replicas.flatMap(({ uses: known }) => known?.[metadata.name] ?? [])
  const { limits: set = {}, needs = {} } = spec
  return limitNames.map((limit) => {
    const held = greatest(uses.map((use) => heldOf(use)?.[limit]))
    return {
      limit,
      used: greatest(uses.map((use) => usedOf(use)[limit])),
      most: set[limit] ?? held ?? needs[limit],
      by: set[limit] !== undefined ? 'operator' : isNeeded(needs[limit], held) ? 'plugin' : 'server',
    }
  })
}

/** A plugin gets the default if it needs less. */
function isNeeded(need: number | undefined, held = need): boolean {
  return need !== undefined && need === held
}

function heldOf({ limits }: PluginUse): Readonly<Required<PluginLimits>> | undefined {
  if (!limits) return undefined
  const { memoryBytes, scratchBytes, processes } = limits
  return { memory: mebibytes(memoryBytes), scratch: mebibytes(scratchBytes), processes }
}

function usedOf({ memoryBytes, processes }: PluginUse): PluginLimits {
  return { memory: mebibytes(memoryBytes), ...(processes !== undefined && { processes }) }
}

function greatest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}
