import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandContext } from '../../command-context.ts'
import { attempting } from '../../server/attempting.ts'
import { connect, type ServerOptions } from '../../server/connect.ts'
import { visible } from '../../terminal/visible.ts'
import { pluginsPath } from './plugin-object.ts'

const lookMs = 500

export interface LogOptions extends ServerOptions {
  readonly follow?: boolean
}

interface Lines {
  readonly items: readonly string[]
  readonly last: number
  /** Absent while plugins are being started there. */
  readonly replica?: string
}

/** What its processes have written last, on the replica that answers; and what they go on to write. */
export async function showLogs(
  context: CommandContext,
  name: string,
  { follow = false, ...options }: LogOptions,
): Promise<void> {
  const { terminal } = context
  const { client } = await connect(context, options)
  const attempt = { verb: 'get', resource: 'plugins/logs.console.api.platform.run', name }
  const path = `${pluginsPath}/${encodeURIComponent(name)}/logs`
  /** Each replica numbers its own lines, and any of them may answer. */
  const read = new Map<string, number>()
  let after = 0
  for (;;) {
    const {
      items,
      last,
      replica = '',
    } = (await attempting(attempt, () => client.call({ method: 'GET', path: `${path}?after=${after}` }))) as Lines
    const known = read.get(replica) ?? 0
    // Asked for another replica's number, it may have told again what was printed.
    await terminal.print(items.slice(Math.max(0, items.length - (last - known))).map(visible))
    if (!follow) {
      if (items.length === 0) terminal.tell([`  ${name} has written nothing on the replica that answered`])
      return
    }
    read.set(replica, last)
    after = read.size === 1 ? last : 0
    await sleep(lookMs)
  }
}
