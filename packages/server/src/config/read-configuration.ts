import { existsSync, readFileSync } from 'node:fs'
import { administratorOf, type Administrator } from './administrator.ts'
import { ConfigError } from './config-error.ts'
import { parseConfigFile } from './config-file.ts'
import { loadSettings, type Config, type ConfigSources, type LoadedSettings } from './config.ts'
import { withDatabasePassword } from './database-password.ts'
import { natsAddressOf, type NatsAddress } from './nats-address.ts'
import { oidcProvidersOf, type OidcProvider } from './oidc-provider.ts'
import { givenSettingsOf, type GivenSettings } from './plugin-files-settings.ts'
import { certificateOf, type Certificate } from './tls-certificate.ts'
import { sealingKeysOf, type SealingKey } from './sealing-keys.ts'

const defaultConfigFile = 'pergola.yaml'

export interface ConfigurationSource {
  /** Defaults to `pergola.yaml`, if it exists. */
  readonly configFile?: string
  readonly env: ConfigSources['env']
}

export interface Settings extends LoadedSettings {
  readonly file: string | undefined
}

/** The settings, and what they name in files and variables. */
export interface Configuration extends Settings {
  readonly administrator: Administrator | undefined
  readonly providers: readonly OidcProvider[]
  readonly keys: readonly SealingKey[]
  readonly given: GivenSettings
  readonly nats: NatsAddress | undefined
  readonly certificate: Certificate | undefined
}

/** Throws `ConfigError` with the errors of all parts. */
export function readConfiguration(source: ConfigurationSource): Configuration {
  const { env } = source
  const { file, config: written, sources } = readSettings(source)
  const faults: string[] = []
  const read = <Part>(part: () => Part): Part | undefined => {
    try {
      return part()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      faults.push(...error.message.split('\n').map(sources.located))
      return undefined
    }
  }
  const config = read(() => withDatabasePassword(written, readFile)) ?? written
  const administrator = read(() => administratorOf(config.admin, readFile))
  const providers = read(() => oidcProvidersOf(config.oidc, readFile)) ?? []
  const keys = read(() => sealingKeysOf(config.secrets, { readFile, env })) ?? []
  const given = read(() => givenSettingsOf(config.plugins, { readFile, env })) ?? {}
  const nats = read(() => natsAddressOf(config.feed, readFile))
  const certificate = read(() => certificateOf(config.tls, readFile))
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return { file, config, sources, administrator, providers, keys, given, nats, certificate }
}

/** The settings alone. Throws `ConfigError`. */
export function readSettings({ configFile, env }: ConfigurationSource): Settings {
  const name = configFile ?? (existsSync(defaultConfigFile) ? defaultConfigFile : undefined)
  const file = name === undefined ? {} : { file: { name, text: readFile(name) } }
  return { file: name, ...loadSettings({ ...file, env }) }
}

/** The settings, and the password of the database. Throws `ConfigError`. */
export function readDatabaseSettings(source: ConfigurationSource): Config {
  return withDatabasePassword(readSettings(source).config, readFile)
}

/** The format of the log, even if the rest of the configuration cannot be used. */
export function readLogFormat(source: ConfigurationSource): Config['log']['format'] {
  const given = [source.env['PERGOLA_LOG_FORMAT'], ...attempted(() => formatInFile(source.configFile))]
  return given.find((format) => format === 'json' || format === 'pretty') ?? 'auto'
}

function formatInFile(configFile = defaultConfigFile): unknown {
  return parseConfigFile({ name: configFile, text: readFile(configFile) }).sections['log']?.['format']
}

function attempted(read: () => unknown): readonly unknown[] {
  try {
    return [read()]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return []
  }
}

export function readFile(name: string): string {
  try {
    return readFileSync(name, 'utf8')
  } catch (error) {
    throw new ConfigError(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}
