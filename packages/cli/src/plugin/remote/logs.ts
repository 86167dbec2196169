import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandContext } from '../../command-context.ts'
import { attempting } from '../../server/attempting.ts'
import { connect, type ServerOptions } from '../../server/connect.ts'
import { pluginsPath } from './plugin-object.ts'

const lookMs = 500

export interface LogOptions extends ServerOptions {
  readonly follow?: boolean
}

interface Lines {
  readonly items: readonly string[]
  readonly last: number
  /** ID of the replica; absent while it starts its plugins. */
  readonly replica?: string
}

/** Prints the latest log lines of the plugin on the replica that answers, and follows them if requested. */
export async function showLogs(
  context: CommandContext,
  name: string,
  { follow = false, ...options }: LogOptions,
): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const attempt = { verb: 'get', resource: 'plugins/logs.console.api.platform.run', name }
  const path = `${pluginsPath}/${encodeURIComponent(name)}/logs`
  /** Last line printed per replica: each numbers its own lines, and any may answer. */
  const read = new Map<string, number>()
  let after = 0
  for (;;) {
    const {
      items,
      last,
      replica = '',
    } = (await attempting(attempt, () => client.call({ method: 'GET', path: `${path}?after=${after}` }))) as Lines
    const known = read.get(replica) ?? 0
    // Skips lines that were already printed, because `after` may come from another replica.
    await terminal.print(items.slice(Math.max(0, items.length - (last - known))))
    if (!follow) {
      if (items.length === 0) terminal.tell([`  ${name} has written nothing on the replica that answered`])
      return
    }
    read.set(replica, last)
    after = read.size === 1 ? last : 0
    await sleep(lookMs)
  }
}
