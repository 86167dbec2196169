import type { Administrator } from './config/administrator.ts'
import type { Config } from './config/config.ts'
import type { Certificate } from './config/tls-certificate.ts'
import type { Development } from './base/development.ts'
import type { Log } from './base/log.ts'
import type { Replica } from './base/replica.ts'
import type { NatsAddress } from './config/nats-address.ts'
import type { OidcProvider } from './config/oidc-provider.ts'
import type { GivenSettings } from './config/plugin-files-settings.ts'
import type { SealingKey } from './config/sealing-keys.ts'
import type { SignInCode } from './credentials/sign-in-code.ts'
import type { RunHere } from './plugins/process/launch-here.ts'

/** The parts of a server. */
export interface AssembleOptions {
  readonly config: Config
  /** This process; by default a new one named by the configuration. */
  readonly replica?: Replica
  /** Created at a start that finds no super administrator. */
  readonly administrator?: Administrator
  /** OpenID Connect providers for signing in. */
  readonly providers?: readonly OidcProvider[]
  /** To serve https; `read` reads the files again. */
  readonly tls?: { readonly certificate: Certificate; readonly read: () => Certificate | undefined }
  /** How to reach NATS, for `feed.transport: nats`. */
  readonly nats?: NatsAddress
  /** Keys that seal secrets. */
  readonly keys?: readonly SealingKey[]
  /** Resolved settings of plugins, instead of those in the configuration. */
  readonly given?: GivenSettings
  /** Packages of plugins shipped with the host. */
  readonly shipped?: readonly Buffer[]
  /** Runs plugins in this process, for tests that debug them; as separate processes by default. */
  readonly runnerOf?: (plugin: string) => RunHere | undefined
  /** For plugin developers. */
  readonly development?: Development
  /** Signs a developer in at the login page. */
  readonly signInCode?: SignInCode
  readonly log: Log
}

export interface Server {
  readonly url: string
  /** The public URL. */
  readonly publicUrl: string
  /** Allows creating the first super administrator, when there is none. */
  readonly setupSecret?: string
  readonly database: string
  /** Resolves when all plugins have started or timed out. */
  readonly ready: Promise<unknown>
  /** Signs a user in without a password; for the program that embeds the server. */
  signIn(user: string): Promise<string>
  /** Opens the audit log again, after it was moved, and reads the certificate again. */
  reopen(): void
  /** Stops without cutting requests that end in time; returns the number of cut ones. */
  close(): Promise<number>
}
