import { randomBytes } from 'node:crypto'
import { assemble } from './assemble.ts'
import { loadConfig } from './base/config.ts'
import { createLog } from './base/log.ts'
import { sealingKey } from './base/sealing-keys.ts'
import type { RunHere } from './plugins/process/launch-here.ts'

export interface EmbedOptions {
  /** The first super administrator, who can sign in. */
  readonly administrator: { readonly username: string; readonly password: string }
  readonly runPlugin: RunHere
  /** Packages of plugins shipped with the host. */
  readonly shipped?: readonly Uint8Array[]
  /** Called with each warning or error of the server. */
  readonly log: (line: string) => void
}

export interface EmbeddedServer extends AsyncDisposable {
  readonly url: string
}

/** The whole server in another process, for tests of plugins: everything is in memory, and plugins run here. */
export async function embed({ administrator, runPlugin, shipped = [], log }: EmbedOptions): Promise<EmbeddedServer> {
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
    shipped: shipped.map((bytes) => Buffer.from(bytes)),
    runHere: runPlugin,
    log: createLog({ level: 'warn', pretty: true, write: log }),
  })
  return { url: server.url, [Symbol.asyncDispose]: async () => void (await server.close()) }
}
