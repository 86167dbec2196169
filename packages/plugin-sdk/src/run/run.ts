import { createReadStream } from 'node:fs'
import { text } from 'node:stream/consumers'
import { createClient } from '@pergola/client'
import { holdLeases } from '../controllers/hold-leases.ts'
import type { AnyPlugin } from '../plugin.ts'
import { hostMemory } from '../schedules/schedule-memory.ts'
import { freeMemoryWhenQuiet } from './free-memory.ts'
import { createHostFetch } from './host-fetch.ts'
import { createPluginServer } from './plugin-server.ts'

/** Document that the host writes to the started process. */
interface StartDocument {
  readonly token: string
  /** Unix socket paths of the plugin (`listen`) and of the host (`host`). */
  readonly listen: string
  readonly host: string
}

const startDescriptor = 3
const protocol = '1'

/**
 * Runs a plugin in this process, which its host has started. Stops on SIGTERM. An uncaught error ends the process at once, and
 * the host restarts it.
 */
export async function run(plugin: AnyPlugin): Promise<void> {
  const { token, listen, host } = await startDocument()
  const client = createClient({ url: 'http://host', token, fetch: createHostFetch(host) })
  const hold = holdLeases({ client, log })
  const server = createPluginServer(plugin, { token, host, log, hold, schedules: hostMemory(client) })
  process.once('SIGTERM', () => {
    // Ignores further SIGTERM signals.
    process.on('SIGTERM', () => {})
    void server.stop().then(() => process.exit(0))
  })
  await server.listen(listen)
  freeMemoryWhenQuiet()
}

function log(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Checks the environment before reading: without a host, the descriptor may belong to Node.js itself. */
async function startDocument(): Promise<StartDocument> {
  // oxlint-disable-next-line node/no-process-env -- the one thing a host says by the environment
  const spoken = process.env['PERGOLA_PROTOCOL']
  if (spoken === undefined)
    throw new Error('a plugin is started by its host; run "pergola dev" in the folder of the plugin')
  if (spoken !== protocol) {
    throw new Error(
      `the host speaks protocol ${spoken}, and this plugin ${protocol}; build it with the SDK of the host`,
    )
  }
  const said = await text(createReadStream('', { fd: startDescriptor }))
  const { token, listen, host } = JSON.parse(said) as Partial<StartDocument>
  if (!token || !listen || !host)
    throw new Error('the host has not said token, listen and host; it may be newer than this SDK')
  return { token, listen, host }
}
