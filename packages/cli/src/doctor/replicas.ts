import type { CommandContext } from '../command-context.ts'
import { attempting } from '../server/attempting.ts'
import { connect } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { liveReplicas, type LiveReplica } from '../server/live-replicas.ts'
import type { Output } from '../terminal/output-option.ts'
import { printJson } from '../terminal/print-json.ts'
import { fittedTable } from '../terminal/fitted-table.ts'
import { shortTime } from '../terminal/times.ts'

export interface ReplicasOptions extends ServerOptions {
  readonly output: Output
}

const heads = ['NAME', 'VERSION', 'SINCE', 'FEED LAG', 'PLUGINS', 'WORKS ON']

/** Lists the servers on the database of the server that answers. */
export async function showReplicas(context: CommandContext, options: ReplicasOptions): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const attempt = { verb: 'list', resource: 'replicas.console.api.platform.run' }
  const items = await attempting(attempt, () => liveReplicas({ client }))
  if (options.output === 'json') return printJson(terminal, items)
  const rows = items.map((replica) => [
    replica.name + (replica.isThis ? ' (answered)' : ''),
    replica.version,
    shortTime(replica.startedAt),
    `${(replica.feedLagMs / 1000).toFixed(1)} s`,
    phaseWords(replica.plugins),
    replica.leases.join(', ') || '-',
  ])
  await terminal.print(fittedTable(terminal, { heads, rows }))
}

function phaseWords(plugins: LiveReplica['plugins']): string {
  const words = Object.entries(plugins).map(([phase, count]) => `${count} ${phase}`)
  return words.join(', ') || 'none'
}
