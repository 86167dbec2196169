import { randomBytes } from 'node:crypto'
import { assemble } from './assembly/assemble.ts'
import { loadConfig } from './config/config.ts'
import { createLog } from './base/log.ts'
import { sealingKey } from './config/sealing-keys.ts'
import type { RunHere } from './plugins/process/launch-here.ts'
import { readShippedPlugin, shippedFolder } from './plugins/package/read-shipped.ts'

export interface EmbedOptions {
  /** The first super administrator, who can sign in. */
  readonly administrator: { readonly username: string; readonly password: string }
  /** How to run a plugin in this process; undefined for those that run in a process of their own. */
  readonly runnerOf: (plugin: string) => RunHere | undefined
  /** Packages to treat as shipped with the host, and names of plugins that do ship with it. */
  readonly shipped?: readonly (Uint8Array | string)[]
  /** Called with each warning or error of the server. */
  readonly log: (line: string) => void
}

export interface EmbeddedServer extends AsyncDisposable {
  readonly url: string
}

/** The whole server in another process, for tests of plugins: everything is in memory, and plugins run here. */
export async function embed({ administrator, runnerOf, shipped = [], log }: EmbedOptions): Promise<EmbeddedServer> {
  const server = await assemble({
    config: loadConfig({
      env: {
        PERGOLA_DATABASE_URL: 'sqlite::memory:',
        PERGOLA_SERVER_PORT: '0',
        PERGOLA_SERVER_STOP_DELAY: '0',
        PERGOLA_SERVER_DRAIN_TIMEOUT: '0',
        PERGOLA_PLUGINS_ISOLATION: 'shared',
      },
    }),
    administrator,
    keys: [sealingKey(randomBytes(32).toString('base64'))],
    shipped: shipped.map((one) => (typeof one === 'string' ? readShippedPlugin(shippedFolder, one) : Buffer.from(one))),
    runnerOf,
    log: createLog({ level: 'warn', pretty: true, write: log }),
  })
  return { url: server.url, [Symbol.asyncDispose]: async () => void (await server.close()) }
}
