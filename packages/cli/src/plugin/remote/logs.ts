import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandContext } from '../../command-context.ts'
import { attempting } from '../../server/attempting.ts'
import { connect } from '../../server/connect.ts'
import type { ServerOptions } from '../../server/server-options.ts'
import { pluginsPath } from './plugin-object.ts'

const lookMs = 1_000

export interface LogOptions extends ServerOptions {
  readonly follow?: boolean
  /** Name or beginning of the id of the only replica to show. */
  readonly replica?: string
}

interface Lines {
  readonly items: readonly string[]
  /** The name of the replica of each line. */
  readonly replicas: readonly string[]
  /** The number of the newest line. */
  readonly last: number
}

/** Prints the latest log lines of a plugin on all replicas, and follows them if requested. */
export async function showLogs(
  context: CommandContext,
  name: string,
  { follow = false, replica, ...options }: LogOptions,
): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const attempt = { verb: 'get', resource: 'plugins/logs.console.api.platform.run', name }
  const path = `${pluginsPath}/${encodeURIComponent(name)}/logs`
  const only = replica === undefined ? '' : `&replica=${encodeURIComponent(replica)}`
  const seen = new Set<string>()
  let after = 0
  for (;;) {
    const request = { method: 'GET', path: `${path}?after=${after}${only}` } as const
    const { items, replicas, last } = (await attempting(attempt, () => client.call(request))) as Lines
    for (const one of replicas) seen.add(one)
    await terminal.print(items.map((text, at) => (seen.size > 1 ? `${replicas[at]}  ${text}` : text)))
    if (!follow) {
      if (items.length === 0)
        terminal.tell([`  ${name} has written nothing${replica === undefined ? '' : ` on ${replica}`}`])
      return
    }
    after = last
    await sleep(lookMs)
  }
}
