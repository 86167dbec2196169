/** Default of `plugins.memoryLimit`, in MiB. */
export const defaultMemoryLimit = 128
/** Default of `plugins.scratchLimit`, in MiB. */
export const defaultScratchLimit = 1_024
/** Default of `plugins.processLimit`. */
export const defaultProcessLimit = 32

/** What the processes of a plugin may use on each server. */
export interface PluginLimits {
  /** MiB of memory. */
  readonly memory?: number
  /** MiB in its scratch folder. */
  readonly scratch?: number
  /** Processes at the same time. */
  readonly processes?: number
}

type Limit = keyof PluginLimits

const defaults: Readonly<Required<PluginLimits>> = {
  memory: defaultMemoryLimit,
  scratch: defaultScratchLimit,
  processes: defaultProcessLimit,
}

export const limitNames = Object.keys(defaults) as readonly Limit[]

/** The least and the most that each limit can be. */
export const limitBounds: Readonly<Record<Limit, { readonly least: number; readonly most: number }>> = {
  memory: { least: 32, most: 1_048_576 },
  scratch: { least: 1, most: 1_048_576 },
  processes: { least: 1, most: 4_096 },
}

/** Why a plugin cannot have these limits; undefined when it can. */
export function limitsFault(limits: unknown): string | undefined {
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits))
    return 'must be an object such as { memory: 256 }'
  for (const [name, value] of Object.entries(limits)) {
    const bounds = limitBounds[name as Limit] as { readonly least: number; readonly most: number } | undefined
    if (!bounds) return `has "${name}"; there are ${limitNames.join(', ')}`
    const { least, most } = bounds
    if (!Number.isInteger(value) || (value as number) < least || (value as number) > most) {
      return `has ${name} ${JSON.stringify(value)}, which must be a whole number from ${least} to ${most}`
    }
  }
  return undefined
}

/** What a plugin needs beyond the defaults, which an operator must approve. */
export function needsBeyondDefaults(
  needs: PluginLimits = {},
): readonly { readonly limit: Limit; readonly value: number }[] {
  return limitNames.flatMap((limit) => {
    const value = needs[limit]
    return value !== undefined && value > defaults[limit] ? [{ limit, value }] : []
  })
}
