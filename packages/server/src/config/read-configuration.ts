import { existsSync, readFileSync } from 'node:fs'
import { administratorOf, type Administrator } from './administrator.ts'
import { ConfigError } from './config-error.ts'
import { loadConfig, type Config, type ConfigSources } from './config.ts'
import { natsAddressOf, type NatsAddress } from './nats-address.ts'
import { oidcProvidersOf, type OidcProvider } from './oidc-provider.ts'
import { givenSettingsOf, type GivenSettings } from './plugin-files-settings.ts'
import { sealingKeysOf, type SealingKey } from './sealing-keys.ts'

const defaultConfigFile = 'pergola.yaml'

export interface ConfigurationSource {
  /** Defaults to `pergola.yaml`, if it exists. */
  readonly configFile?: string
  readonly env: ConfigSources['env']
}

/** The settings, and what they name in files and variables. */
export interface Configuration {
  readonly file: string | undefined
  readonly config: Config
  readonly administrator: Administrator | undefined
  readonly providers: readonly OidcProvider[]
  readonly keys: readonly SealingKey[]
  readonly given: GivenSettings
  readonly nats: NatsAddress | undefined
}

/** Throws `ConfigError` with the errors of all parts. */
export function readConfiguration(source: ConfigurationSource): Configuration {
  const { env } = source
  const { file, config } = readSettings(source)
  const faults: string[] = []
  const read = <Part>(part: () => Part): Part | undefined => {
    try {
      return part()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      faults.push(error.message)
      return undefined
    }
  }
  const administrator = read(() => administratorOf(config.admin, readFile))
  const providers = read(() => oidcProvidersOf(config.oidc, readFile)) ?? []
  const keys = read(() => sealingKeysOf(config.secrets, { readFile, env })) ?? []
  const given = read(() => givenSettingsOf(config.plugins, { readFile, env })) ?? {}
  const nats = read(() => natsAddressOf(config.feed, readFile))
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return { file, config, administrator, providers, keys, given, nats }
}

/** The settings alone. Throws `ConfigError`. */
export function readSettings({ configFile, env }: ConfigurationSource): Pick<Configuration, 'file' | 'config'> {
  const name = configFile ?? (existsSync(defaultConfigFile) ? defaultConfigFile : undefined)
  const file = name === undefined ? {} : { file: { name, text: readFile(name) } }
  return { file: name, config: loadConfig({ ...file, env }) }
}

export function readFile(name: string): string {
  try {
    return readFileSync(name, 'utf8')
  } catch (error) {
    throw new ConfigError(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}
