import type { Administrator } from './base/administrator.ts'
import type { Config } from './base/config.ts'
import type { Development } from './base/development.ts'
import type { Log } from './base/log.ts'
import type { NatsAddress } from './base/nats-address.ts'
import type { OidcProvider } from './base/oidc-provider.ts'
import type { GivenSettings } from './base/plugin-files-settings.ts'
import type { SealingKey } from './base/sealing-keys.ts'
import type { RunHere } from './plugins/process/launch-here.ts'

/** What a server is made of. */
export interface AssembleOptions {
  readonly config: Config
  /** Made at a start that finds no super administrator. */
  readonly administrator?: Administrator
  /** Where people sign in by OpenID Connect. */
  readonly providers?: readonly OidcProvider[]
  /** How NATS is reached, for `feed.transport: nats`. */
  readonly nats?: NatsAddress
  /** What secrets are sealed with. */
  readonly keys?: readonly SealingKey[]
  /** Settings of plugins, in place of those of the configuration: with the values that stand elsewhere. */
  readonly given?: GivenSettings
  /** Packages of plugins that come with the host. */
  readonly shipped?: readonly Buffer[]
  /** Runs plugins in this process, for tests that look into them; in processes of their own unless it is said. */
  readonly runHere?: RunHere
  /** For whoever writes a plugin. */
  readonly development?: Development
  readonly log: Log
}

export interface Server {
  readonly url: string
  /** The address that people use. */
  readonly publicUrl: string
  /** Makes the first super administrator, when there is none. */
  readonly setupSecret?: string
  readonly database: string
  /** Signs somebody in, whom no password is asked of: for the program that the server is a part of. */
  signIn(user: string): Promise<string>
  /** Opens the audit log anew, after it was moved away. */
  reopenAudit(): void
  /** Stops without cutting a request that ends in time; answers how many did not. */
  close(): Promise<number>
}
