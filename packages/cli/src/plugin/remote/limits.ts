import { coreResources, limitBounds, limitNames, type PluginLimits } from '@pergola/api'
import type { CommandContext } from '../../command-context.ts'
import { attempting } from '../../server/attempting.ts'
import { connect } from '../../server/connect.ts'
import type { ServerOptions } from '../../server/server-options.ts'
import { usedWrongly } from '../../terminal/command-fault.ts'
import { fittedTable } from '../../terminal/fitted-table.ts'
import { awaitStarted } from './await-started.ts'

export interface LimitOptions extends ServerOptions, Partial<Record<keyof PluginLimits, string>> {
  readonly reset?: boolean
  readonly wait: number
}

const units: Readonly<Record<keyof PluginLimits, string>> = { memory: ' MiB', scratch: ' MiB', processes: '' }

/** Shows what the processes of a plugin may use, or sets it, which restarts them without downtime. */
export async function pluginLimits(context: CommandContext, name: string, options: LimitOptions): Promise<void> {
  const { terminal } = context
  const set = limitsIn(options)
  const { client } = await connect(context, options)
  const plugins = client.resource(coreResources.plugins)
  const { spec } = await attempting({ verb: 'get', resource: 'plugins', name }, () => plugins.get(name))
  if (!options.reset && Object.keys(set).length === 0) {
    const rows = limitNames.map((limit) => {
      const words = (value: number | undefined) => (value === undefined ? '-' : `${value}${units[limit]}`)
      return [limit, words(spec.limits?.[limit]), words(spec.needs?.[limit])]
    })
    await terminal.print(fittedTable(terminal, { heads: ['LIMIT', 'SET', 'THE PLUGIN NEEDS'], rows }))
    return terminal.hint('what is neither set nor needed is plugins.* of the configuration')
  }
  // A merge patch: null deletes.
  const cleared = options.reset ? Object.fromEntries(limitNames.map((limit) => [limit, null])) : {}
  const body = { spec: { limits: { ...cleared, ...set } } } as { readonly spec: { readonly limits: PluginLimits } }
  const changed = await attempting({ verb: 'patch', resource: 'plugins', name }, () => plugins.patch(name, body))
  const { version, digest, enabled, restarts = 0 } = changed.spec
  if (!enabled) return terminal.print([`  limits of ${name} set; it is disabled`])
  const words = await awaitStarted(terminal, { client, name, version, digest, restarts, seconds: options.wait })
  await terminal.print([`  limits of ${name} set, ${words}`])
}

function limitsIn(options: LimitOptions): PluginLimits {
  const given = limitNames.flatMap((limit) => {
    const text = options[limit]
    if (text === undefined) return []
    const { least, most } = limitBounds[limit]
    const value = Number(text)
    if (Number.isInteger(value) && value >= least && value <= most) return [[limit, value] as const]
    throw usedWrongly(`--${limit} must be a whole number from ${least} to ${most}; it is "${text}"`)
  })
  return Object.fromEntries(given)
}
