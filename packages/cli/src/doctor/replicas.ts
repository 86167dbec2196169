import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect, type ServerOptions } from '../server/connect.ts'
import type { Output } from '../terminal/output-option.ts'
import { printJson } from '../terminal/print-json.ts'
import { tableOf } from '../terminal/table.ts'
import { shortTime } from '../terminal/times.ts'

export interface ReplicasOptions extends ServerOptions {
  readonly output: Output
}

interface Replica {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly startedAt: string
  readonly feedLagMs: number
  readonly leases: readonly string[]
  readonly plugins: Readonly<Record<string, number>>
  readonly isThis?: boolean
}

const heads = ['NAME', 'VERSION', 'SINCE', 'FEED LAG', 'PLUGINS', 'WORKS ON']

/** Lists the servers on the database of the server that answers. */
export async function showReplicas(context: CommandContext, options: ReplicasOptions): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const path = '/apis/console.api.platform.run/v1alpha1/replicas'
  const { items } = (await attempting({ verb: 'list', resource: 'replicas.console.api.platform.run' }, () =>
    client.call({ method: 'GET', path }),
  )) as { readonly items: readonly Replica[] }
  if (options.output === 'json') return printJson(terminal, items)
  const rows = items.map((replica) => [
    replica.name + (replica.isThis ? ' (answered)' : ''),
    replica.version,
    shortTime(replica.startedAt),
    `${(replica.feedLagMs / 1000).toFixed(1)} s`,
    phaseWords(replica.plugins),
    replica.leases.join(', ') || '-',
  ])
  await terminal.print(tableOf(heads, rows))
}

function phaseWords(plugins: Replica['plugins']): string {
  const words = Object.entries(plugins).map(([phase, count]) => `${count} ${phase}`)
  return words.join(', ') || 'none'
}
