import { nearest } from '@pergola/api'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { faultOfRange } from './address-range.ts'
import { ConfigError } from './config-error.ts'
import { configSchema } from './config-schema.ts'
import { parseConfigFile, type ConfigFile } from './config-file.ts'
import { faultsOfFeed, type FeedSettings } from './feed-settings.ts'
import { faultOfOrigin } from './listed-origin.ts'
import type { LogLevel } from '../base/log.ts'
import { shortened } from '../base/shortened.ts'
import type { OidcProviderSettings } from './oidc-settings.ts'
import type { PluginFilesSettings } from './plugin-files-settings.ts'
import type { ReplicaSettings } from './replica-settings.ts'
import { settingFormats } from './setting-formats.ts'
import { settingSources, variableOf, type SettingSources } from './setting-sources.ts'
import type { SessionSettings } from './session-settings.ts'
import type { TlsSettings } from './tls-settings.ts'
import type { TracingSettings } from './tracing-settings.ts'
import type { ValueSource } from './value-source.ts'

/** The operator's settings, complete with defaults. */
export interface Config {
  readonly server: {
    readonly host: string
    readonly port: number
    readonly stopDelay: number
    readonly drainTimeout: number
    readonly publicUrl?: string
    readonly allowInsecureLogin: boolean
  }
  readonly tls: TlsSettings
  readonly replica: ReplicaSettings
  readonly http: {
    readonly trustedProxies: readonly string[]
    readonly maxInFlight: number
    readonly compression: boolean
  }
  readonly cors: { readonly origins: readonly string[] }
  readonly database: {
    readonly url: string
    readonly directUrl?: string
    readonly passwordFile?: string
    readonly schema?: string
    readonly namedStatements: boolean
    readonly timeout: number
  }
  readonly changelog: { readonly retention: number; readonly maxBytes: number }
  readonly feed: FeedSettings
  readonly watch: { readonly max: number; readonly maxPerUser: number }
  readonly admin: { readonly username?: string; readonly passwordFile?: string }
  readonly audit: { readonly file?: string }
  readonly metrics: { readonly host: string; readonly port?: number }
  readonly tracing: TracingSettings
  readonly plugins: PluginFilesSettings & {
    readonly isolation: 'auto' | 'uid' | 'shared'
    readonly memoryLimit: number
    readonly processLimit: number
    readonly scratchLimit: number
    readonly startTimeout: number
    readonly startGrace: number
  }
  readonly secrets: { readonly keys: readonly ValueSource[] }
  readonly oidc: { readonly maxAge: number; readonly providers: readonly OidcProviderSettings[] }
  readonly sessions: SessionSettings
  readonly log: { readonly level: LogLevel; readonly format: 'auto' | 'json' | 'pretty' }
}

export interface ConfigSources {
  /** The configuration file's name and text. */
  readonly file?: ConfigFile
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Defaults, then the file, then `PERGOLA_*` variables. Reports all errors at once. */
export function loadConfig(given: ConfigSources): Config {
  return loadSettings(given).config
}

export interface LoadedSettings {
  readonly config: Config
  readonly sources: SettingSources
}

/** As `loadConfig`, with the source of every setting. */
export function loadSettings({ file, env }: ConfigSources): LoadedSettings {
  const parsed = file && parseConfigFile(file)
  const config = parsed ? withoutUnset(parsed.sections) : {}
  const { values: fromEnv, faults } = readVariables(env)
  for (const [path, value] of fromEnv) {
    const [section, key] = path.split('.') as [string, string]
    config[section] = { ...config[section], [key]: value }
  }
  const sources = settingSources(new Set(fromEnv.keys()), parsed)
  const formats = Object.fromEntries(Object.entries(settingFormats).map(([name, { test }]) => [name, test]))
  // Checking our own constant against the draft would take most of the time.
  const options = { allErrors: true, useDefaults: true, verbose: true, validateSchema: false, formats }
  const validate = new Ajv2020(options).compile(configSchema)
  const isSound = validate(config)
  // A missing entry is reported for the list, not for each entry that does not match.
  const told = (validate.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes('/contains/'))
  if (isSound) faults.push(...faultsOfLists(config as unknown as Config, sources))
  else faults.push(...told.map((error) => describe(error, sources)))
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return { config: config as unknown as Config, sources }
}

type Sections = Record<string, Record<string, unknown>>

/** A key without a value, which YAML allows, keeps the default. */
function withoutUnset(sections: Sections): Sections {
  const set = Object.entries(sections).filter(([, section]) => section !== null)
  return Object.fromEntries(
    set.map(([name, section]) => {
      const isSection = typeof section === 'object' && !Array.isArray(section)
      return [
        name,
        isSection ? Object.fromEntries(Object.entries(section).filter(([, value]) => value !== null)) : section,
      ]
    }),
  )
}

/** Variables that Kubernetes sets in every pod next to a service called "pergola". */
const serviceVariable = /^PERGOLA_(SERVICE_(HOST|PORT)(_.*)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/

/** Variables of the command line, which also starts the server. */
const commandVariables: ReadonlySet<string> = new Set(['PERGOLA_SERVER', 'PERGOLA_TOKEN_FILE'])

function readVariables(env: ConfigSources['env']) {
  const settings = Object.entries(configSchema.properties).flatMap(([section, { properties }]) =>
    Object.entries(properties as Record<string, { type?: string; items?: { type?: string } }>)
      // Lists of objects and maps cannot be set by a variable.
      .filter(([, { type, items }]) => type !== 'object' && items?.type !== 'object')
      .map(([key, { type }]) => ({ path: `${section}.${key}`, type })),
  )
  const byVariable = new Map(settings.map((setting) => [variableOf(setting.path), setting]))
  const values = new Map<string, VariableValue>()
  const faults: string[] = []
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith('PERGOLA_') || value === undefined) continue
    if (serviceVariable.test(variable) || commandVariables.has(variable)) continue
    const setting = byVariable.get(variable)
    if (!setting) faults.push(`${variable}: is not a setting${suggestion(variable, [...byVariable.keys()])}`)
    else values.set(setting.path, fromText(setting.type, value))
  }
  return { values, faults }
}

type VariableValue = string | number | boolean | readonly string[]

/** A variable is text; text that does not match the setting's type stays text and is refused as such. */
function fromText(type: string | undefined, value: string): VariableValue {
  if (type === 'array') return value.split(',').flatMap((item) => item.trim() || [])
  if (type === 'integer' && /^\d{1,9}$/.test(value)) return Number(value)
  if (type === 'number' && /^\d{1,9}(\.\d{1,9})?$/.test(value)) return Number(value)
  if (type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  return value
}

/** Errors that a schema cannot express: in list entries, and between settings. */
function faultsOfLists({ cors, http, server, tls, feed, database }: Config, { at }: SettingSources): readonly string[] {
  const faults = (path: string, entries: readonly string[], faultOf: (entry: string) => string | undefined) =>
    entries.flatMap((entry, index) => {
      const fault = faultOf(entry)
      return fault === undefined ? [] : [`${at(path, index)}: ${shortened(entry)} ${fault}`]
    })
  return [
    ...faults('cors.origins', cors.origins, (entry) => faultOfOrigin(entry, server.allowInsecureLogin)),
    ...faults('http.trustedProxies', http.trustedProxies, faultOfRange),
    ...(['url', 'directUrl'] as const)
      .filter((key) => database[key]?.startsWith('postgres') && !URL.canParse(database[key]))
      .map((key) => `${at(`database.${key}`)} ${malformedUrl}`),
    ...faultsOfSchema(database).map((fault) => `${at('database.schema')} ${fault}`),
    ...(tls.certFile !== undefined && server.publicUrl?.startsWith('http:')
      ? [`${at('server.publicUrl')} must be https: with tls.certFile the server speaks only https`]
      : []),
    ...faultsOfFeed(feed, database.url).map(([key, fault]) => `${at(`feed.${key}`)} ${fault}`),
  ]
}

function faultsOfSchema({ schema, url, directUrl = '' }: Config['database']): readonly string[] {
  if (schema === undefined) return []
  if (url.startsWith('sqlite:')) return ['is for PostgreSQL; with SQLite, each installation has a file of its own']
  const hasOptions = [url, directUrl].some((text) => URL.parse(text)?.searchParams.has('options'))
  return hasOptions ? ['excludes options in database.url and database.directUrl; remove them there'] : []
}

/** Does not show the value, which has a password. */
const malformedUrl =
  'is not a URL such as postgres://user:password@host:5432/database; in the password write / as %2F, # as %23, ? as %3F, @ as %40, % as %25'

function describe(error: ErrorObject, { at }: SettingSources): string {
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const source = at(path)
  if (error.keyword === 'additionalProperties') {
    const key = String(error.params['additionalProperty'])
    const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as object)
    return `${at(path === '' ? key : `${path}.${key}`)} is not a setting${suggestion(key, known)}`
  }
  if (error.keyword === 'enum') return `${source} must be one of ${error.params['allowedValues'].join(', ')}`
  if (error.keyword === 'format') return `${source} must be ${settingFormats[String(error.params['format'])]?.says}`
  if (error.keyword === 'required') return `${source}: ${String(error.params['missingProperty'])} is missing`
  if (error.keyword === 'contains') return `${source} must name openid`
  if (error.keyword === 'pattern' && path === 'feed.natsStream') {
    return `${source} must be of letters, digits, "_" and "-", at most 64`
  }
  if (error.keyword === 'pattern' && path === 'database.schema') {
    return `${source} must be of lowercase letters, digits and "_", at most 40, and not begin with "pg_"`
  }
  if (error.keyword === 'pattern') return `${source} must start with "sqlite:" or "postgres://"`
  return `${source} ${error.message ?? 'is not valid'}`
}

function suggestion(word: string, known: readonly string[]): string {
  const match = nearest(word, known)
  return match === undefined ? `; known are ${known.join(', ')}` : `; did you mean ${match}?`
}
