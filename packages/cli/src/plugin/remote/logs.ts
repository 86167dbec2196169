import { setTimeout as sleep } from 'node:timers/promises'
import { coreResources } from '@pergola/api'
import type { CommandContext } from '../../command-context.ts'
import { attempting } from '../../server/attempting.ts'
import { connect, type Connection, type ServerOptions } from '../../server/connect.ts'
import { usedWrongly } from '../../terminal/command-fault.ts'
import { pluginsPath } from './plugin-object.ts'
import { namesOfReplicas } from './replica-names.ts'

const lookMs = 1_000
/** Requests per replica and look: a load balancer decides which replica answers. */
const tries = 4

export interface LogOptions extends ServerOptions {
  readonly follow?: boolean
  /** Name or id of the only replica to show. */
  readonly replica?: string
}

interface Lines {
  readonly items: readonly string[]
  /** When the host received each line. */
  readonly times: readonly string[]
  /** The number of the newest line. */
  readonly last: number
  readonly replica: string
}

interface Line {
  readonly time: string
  readonly text: string
}

/** Prints the latest log lines of a plugin on all replicas in the order of their times, and follows them if requested. */
export async function showLogs(
  context: CommandContext,
  name: string,
  { follow = false, replica: only, ...options }: LogOptions,
): Promise<void> {
  const { terminal } = context
  const connection = await connect(context, options)
  const reader = createReader(connection, name)
  for (let isFirst = true; ; isFirst = false) {
    const names = await namesOfReplicas(connection)
    const wanted = await replicasOf(connection, { name, only, names })
    const { lines, silent } = await reader.read(wanted)
    await terminal.print(
      lines.map(({ replica, text }) => (wanted.size > 1 ? `${names.get(replica) ?? replica}  ${text}` : text)),
    )
    const missing = silent.map((id) => names.get(id) ?? id)
    if (isFirst && missing.length > 0) terminal.tell([`  ${missing.join(', ')} did not answer: the load balancer chose others`])
    if (isFirst && lines.length === 0) terminal.tell([`  ${name} has written nothing`])
    if (!follow) return
    await sleep(lookMs)
  }
}

interface Asked {
  readonly name: string
  readonly only: string | undefined
  readonly names: ReadonlyMap<string, string>
}

/** The ids of the replicas that run the plugin; of only one if it is named. */
async function replicasOf({ client }: Connection, { name, only, names }: Asked): Promise<ReadonlySet<string>> {
  const { status = {} } = await attempting({ verb: 'get', resource: 'plugins', name }, () =>
    client.resource(coreResources.plugins).get(name),
  )
  const ids = [...new Set((status.replicas ?? []).map(({ replica }) => replica))]
  if (only === undefined) return new Set(ids)
  const found = ids.filter((id) => id.startsWith(only) || names.get(id) === only)
  if (found.length === 1) return new Set(found)
  const known = ids.map((id) => names.get(id) ?? id).join(', ') || 'none'
  throw usedWrongly(`no replica that runs ${name} is called ${only}; there are: ${known}`, { next: 'pergola replicas' })
}

interface Read {
  readonly lines: readonly (Line & { readonly replica: string })[]
  /** The ids of those that did not answer. */
  readonly silent: readonly string[]
}

/** Remembers which lines of each replica were read. */
function createReader({ client }: Connection, name: string): { read(wanted: ReadonlySet<string>): Promise<Read> } {
  const seen = new Map<string, number>()
  const path = `${pluginsPath}/${encodeURIComponent(name)}/logs`
  const attempt = { verb: 'get', resource: 'plugins/logs.console.api.platform.run', name }
  const ask = async (replica: string | undefined): Promise<Lines> => {
    const after = replica === undefined ? '' : `?after=${seen.get(replica) ?? 0}&replica=${replica}`
    return (await attempting(attempt, () => client.call({ method: 'GET', path: `${path}${after}` }))) as Lines
  }
  const fresh = ({ replica, items, times, last }: Lines): readonly Line[] => {
    const before = seen.get(replica) ?? 0
    seen.set(replica, last)
    // Lower numbers than before are of a new process of the server.
    const count = last < before ? items.length : Math.min(items.length, last - before)
    return items.slice(items.length - count).map((text, at) => ({ text, time: times[items.length - count + at] ?? '' }))
  }
  return {
    read: async (wanted) => {
      const silent = new Set(wanted)
      const lines: Read['lines'][number][] = []
      for (let count = 0; count === 0 || (silent.size > 0 && count < tries * wanted.size); count++) {
        const answer = await ask([...silent][0])
        if (wanted.size > 0 && !wanted.has(answer.replica)) continue
        silent.delete(answer.replica)
        lines.push(...fresh(answer).map((line) => ({ ...line, replica: answer.replica })))
      }
      return { lines: lines.toSorted((one, other) => one.time.localeCompare(other.time)), silent: [...silent] }
    },
  }
}
