import { randomBytes } from 'node:crypto'
import { assemble } from './assemble.ts'
import { loadConfig } from './base/config.ts'
import type { Development } from './base/development.ts'
import { createLog } from './base/log.ts'
import { sealingKey } from './base/sealing-keys.ts'
import { readShipped, shippedFolder } from './plugins/read-shipped.ts'

/** A debugger takes memory of the process that it looks into. */
const memoryMebibytes = 512

export interface DevelopOptions extends Development {
  /** The file of the database. */
  readonly database: string
  readonly port: number
  /** What secrets are sealed with, as long as the database is kept: 32 bytes in base64. */
  readonly sealingKey: string
  /** The super administrator, who is there from the first start on. */
  readonly administrator: string
  /** Told what the server has to say, JSON a line. */
  readonly log: (line: string) => void
}

export interface DevelopmentHost extends AsyncDisposable {
  readonly url: string
  /** Signs a user in, whom no password is asked of. */
  signIn(user: string): Promise<string>
}

/**
 * The whole server in the process of whoever writes a plugin, listening on this machine alone. Plugins are processes of their own, as
 * ever. That people are signed in without a password is a function of what this returns, which nobody reaches from outside.
 */
export async function develop(options: DevelopOptions): Promise<DevelopmentHost> {
  const { database, port, administrator: username, log } = options
  const server = await assemble({
    config: loadConfig({
      env: {
        PERGOLA_DATABASE_URL: `sqlite:${database}`,
        PERGOLA_SERVER_PORT: String(port),
        PERGOLA_SERVER_STOP_DELAY: '0',
        PERGOLA_SERVER_DRAIN_TIMEOUT: '1',
        PERGOLA_PLUGINS_ISOLATION: 'shared',
        PERGOLA_PLUGINS_MEMORY_LIMIT: String(memoryMebibytes),
      },
    }),
    // Nobody has to know the password: whoever asks is signed in without.
    administrator: { username, password: randomBytes(32).toString('base64url') },
    keys: [sealingKey(options.sealingKey)],
    shipped: readShipped(shippedFolder),
    development: options,
    log: createLog({ level: 'info', pretty: false, write: log }),
  })
  return {
    url: server.url,
    signIn: (user) => server.signIn(user),
    [Symbol.asyncDispose]: async () => void (await server.close()),
  }
}
