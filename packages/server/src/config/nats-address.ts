import type { FeedSettings } from './feed-settings.ts'
import { readSecretFile } from './value-source.ts'

/** How to reach NATS, with secrets read from files. */
export interface NatsAddress {
  readonly urls: readonly string[]
  readonly user?: string
  readonly password?: string
  readonly token?: string
  /** The text of a credentials file. */
  readonly credentials?: string
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string }
}

/** Undefined unless the feed uses NATS. Throws `ConfigError` for a file that cannot be read. */
export function natsAddressOf(feed: FeedSettings, readFile: (name: string) => string): NatsAddress | undefined {
  if (feed.transport !== 'nats') return undefined
  const { natsUrl, natsUser, natsPasswordFile, natsTokenFile, natsCredentialsFile } = feed
  const secret = (setting: string, file: string) => readSecretFile(`feed.${setting}`, file, readFile)
  const tls = {
    ...(feed.natsCaFile !== undefined && { caFile: feed.natsCaFile }),
    ...(feed.natsCertFile !== undefined && { certFile: feed.natsCertFile }),
    ...(feed.natsKeyFile !== undefined && { keyFile: feed.natsKeyFile }),
  }
  return {
    urls: natsUrl,
    ...(natsUser !== undefined && { user: natsUser }),
    ...(natsPasswordFile !== undefined && { password: secret('natsPasswordFile', natsPasswordFile) }),
    ...(natsTokenFile !== undefined && { token: secret('natsTokenFile', natsTokenFile) }),
    ...(natsCredentialsFile !== undefined && { credentials: secret('natsCredentialsFile', natsCredentialsFile) }),
    ...(Object.keys(tls).length > 0 && { tls }),
  }
}
