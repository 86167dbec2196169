import { createReadStream } from 'node:fs'
import { text } from 'node:stream/consumers'
import { createClient } from '@pergola/client'
import { holdLeases } from '../controllers/hold-leases.ts'
import type { AnyPlugin } from '../plugin.ts'
import { hostMemory } from '../schedules/schedule-memory.ts'
import { errorText } from './error-text.ts'
import { freeMemoryWhenQuiet } from './free-memory.ts'
import { createHostFetch } from './host-fetch.ts'
import { createPluginServer } from './plugin-server.ts'
import { traceShare, untraced } from './trace-run.ts'

/** Document that the host writes to file descriptor 3 of the started process. */
interface StartDocument {
  readonly token: string
  /** Unix socket paths of the plugin (`listen`) and of the host (`host`). */
  readonly listen: string
  readonly host: string
  /** Share of the runs of controllers and schedules to trace. */
  readonly tracing?: number
}

const startDescriptor = 3
const sdkProtocol = '1'

/**
 * Runs a plugin in this process, which its host has started. Stops on SIGTERM. An uncaught exception ends the process at once,
 * and the host restarts it. A rejection that nobody awaits is only logged.
 */
export async function run(plugin: AnyPlugin): Promise<void> {
  const { token, listen, host, tracing } = await startDocument()
  const client = createClient({ url: 'http://host', token, fetch: createHostFetch(host) })
  const hold = holdLeases({ client, log })
  const traceRun = tracing === undefined ? untraced : traceShare(tracing, client)
  const server = createPluginServer(plugin, { token, host, log, hold, traceRun, schedules: hostMemory(client) })
  process.on('unhandledRejection', (error) =>
    log(`a promise was rejected and nobody awaited it; write await before the call: ${errorText(error)}`),
  )
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

/** Checks the environment before it reads descriptor 3, which Node.js itself may use in a process without a host. */
async function startDocument(): Promise<StartDocument> {
  // oxlint-disable-next-line node/no-process-env -- the only environment variable that the host sets
  const hostProtocol = process.env['PERGOLA_PROTOCOL']
  if (hostProtocol === undefined)
    throw new Error('this plugin was started without a host; run "pergola dev" in the folder of the plugin')
  if (hostProtocol !== sdkProtocol) {
    throw new Error(
      `the host uses protocol ${hostProtocol}, but this plugin uses ${sdkProtocol}; build the plugin with the SDK of the host`,
    )
  }
  const document = await text(createReadStream('', { fd: startDescriptor }))
  const { token, listen, host, ...more } = JSON.parse(document) as Partial<StartDocument>
  if (!token || !listen || !host)
    throw new Error(
      'the start document of the host lacks token, listen or host; build the plugin with the SDK of the host',
    )
  return { token, listen, host, ...more }
}
