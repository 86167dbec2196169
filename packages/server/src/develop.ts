import { randomBytes } from 'node:crypto'
import { assemble } from './assembly/assemble.ts'
import { systemClock } from './base/clock.ts'
import { loadConfig } from './config/config.ts'
import type { Development } from './base/development.ts'
import { createLog } from './base/log.ts'
import { sealingKey } from './config/sealing-keys.ts'
import { createSignInCode } from './credentials/sign-in-code.ts'
import { loginPagePath } from './host-api/sign-in/login-page.ts'
import { readShipped, shippedFolder } from './plugins/package/read-shipped.ts'

/** A debugger uses memory of the process that it inspects. */
const memoryMebibytes = 512

export interface DevelopOptions extends Development {
  /** The database file. */
  readonly database: string
  readonly port: number
  /** The key that seals secrets, the same as long as the database is kept: 32 bytes in base64. */
  readonly sealingKey: string
  /** The super administrator, created at the first start. */
  readonly administrator: string
  /** The user whom links sign in; by default the administrator. */
  readonly signInAs?: string
  /** Called when an old sign-in link is opened and there is no valid one. */
  readonly onSpentLink: () => void
  /** Called with each log line, as JSON. */
  readonly log: (line: string) => void
}

export interface DevelopmentHost extends AsyncDisposable {
  readonly url: string
  /** A link that signs `signInAs` in, in a browser on this machine; valid once, and replaces the previous link. */
  readonly signInLink: () => string
  /** Signs a user in without a password. */
  signIn(user: string): Promise<string>
}

/**
 * The whole server in the process of a plugin developer's tool, listening on this machine only. Plugins are separate processes,
 * as always. Only a function of the returned object signs in without a password; it cannot be called from outside.
 */
export async function develop(options: DevelopOptions): Promise<DevelopmentHost> {
  const { database, port, administrator: username, signInAs = username, log } = options
  const signInCode = createSignInCode({ user: signInAs, clock: systemClock, onSpent: options.onSpentLink })
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
    // Nobody needs to know the password: the developer signs in without one.
    administrator: { username, password: randomBytes(32).toString('base64url') },
    keys: [sealingKey(options.sealingKey)],
    shipped: readShipped(shippedFolder),
    development: options,
    signInCode,
    log: createLog({ level: 'info', pretty: false, write: log }),
  })
  return {
    url: server.url,
    signInLink: () => `${server.publicUrl}${loginPagePath}#${signInCode.make()}`,
    signIn: (user) => server.signIn(user),
    [Symbol.asyncDispose]: async () => void (await server.close()),
  }
}
