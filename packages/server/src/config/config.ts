import { defaultMemoryLimit, defaultProcessLimit, defaultScratchLimit, nearest } from '@pergola/api'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { parse as parseYaml, YAMLParseError } from 'yaml'
import { faultOfRange } from './address-range.ts'
import { ConfigError } from './config-error.ts'
import { faultsOfFeed, feedSettings, type FeedSettings } from './feed-settings.ts'
import { faultOfOrigin } from './listed-origin.ts'
import type { LogLevel } from '../base/log.ts'
import { shortened } from '../base/shortened.ts'
import { oidcSettings, type OidcProviderSettings } from './oidc-settings.ts'
import { pluginFilesSettings, type PluginFilesSettings } from './plugin-files-settings.ts'
import { replicaSettings, type ReplicaSettings } from './replica-settings.ts'
import { settingFormats } from './setting-formats.ts'
import { valueSourceSchema, type ValueSource } from './value-source.ts'

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
  readonly replica: ReplicaSettings
  readonly http: { readonly trustedProxies: readonly string[]; readonly maxInFlight: number }
  readonly cors: { readonly origins: readonly string[] }
  readonly database: {
    readonly url: string
    readonly directUrl?: string
    readonly namedStatements: boolean
    readonly timeout: number
  }
  readonly changelog: { readonly retention: number; readonly maxBytes: number }
  readonly feed: FeedSettings
  readonly watch: { readonly max: number; readonly maxPerUser: number }
  readonly admin: { readonly username?: string; readonly passwordFile?: string }
  readonly audit: { readonly file?: string }
  readonly metrics: { readonly host: string; readonly port?: number }
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
  readonly log: { readonly level: LogLevel; readonly format: 'auto' | 'json' | 'pretty' }
}

/** The only list of settings; the reference page is generated from it. */
export const configSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    server: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        host: { type: 'string', minLength: 1, default: '127.0.0.1', description: 'Address to listen on.' },
        port: {
          type: 'integer',
          minimum: 0,
          maximum: 65535,
          default: 8090,
          description: 'Port to listen on; 0 takes a free one.',
        },
        stopDelay: {
          type: 'integer',
          minimum: 0,
          default: 1,
          description:
            'Seconds that a stopping server, already unready, still accepts connections. Set it longer than a load balancer needs to notice.',
        },
        drainTimeout: {
          type: 'integer',
          minimum: 0,
          default: 25,
          description: 'Seconds that requests in flight then have to finish.',
        },
        publicUrl: {
          type: 'string',
          format: 'origin',
          description:
            'Public address of the server, such as `https://pergola.example.com`. It decides the attributes of session cookies and which origins may use them. Default: the address that the server listens on.',
        },
        allowInsecureLogin: {
          type: 'boolean',
          default: false,
          description:
            'Whether users may sign in over plain http from other machines, where passwords can be intercepted.',
        },
      },
    },
    http: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        trustedProxies: {
          type: 'array',
          maxItems: 100,
          items: { type: 'string' },
          default: [],
          description:
            'Addresses and ranges (`10.0.0.0/8`) of your proxies. The server accepts `X-Forwarded-For`, `-Proto` and `-Host` only from them, and never accepts `Forwarded`.',
        },
        maxInFlight: {
          type: 'integer',
          minimum: 4,
          default: 1000,
          description:
            'Requests that a process works on at the same time, without watches. A user, a plugin, or an address without credentials may have a quarter of them; more are rejected with 429.',
        },
      },
    },
    cors: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        origins: {
          type: 'array',
          maxItems: 100,
          items: { type: 'string' },
          default: [],
          description:
            'Origins of other sites, such as `https://app.example.com`, whose pages may call the API with a token, never with a cookie.',
        },
      },
    },
    database: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        url: {
          type: 'string',
          pattern: '^(sqlite:.|postgres(ql)?://)',
          default: 'sqlite:pergola.db',
          description: '`sqlite:<file>` for one process, or `postgres://user:password@host:port/database`.',
        },
        directUrl: {
          type: 'string',
          pattern: '^postgres(ql)?://',
          description:
            'PostgreSQL without the pooler, when `database.url` is that of a pooler. Migrations, index builds and notifications of changes use it; without it, replicas behind a pooler in transaction mode poll.',
        },
        timeout: {
          type: 'integer',
          minimum: 1,
          maximum: 300,
          default: 20,
          description: 'Seconds that a database statement may take before the request fails with 503.',
        },
        namedStatements: {
          type: 'boolean',
          default: true,
          description:
            'Whether prepared statements are kept per connection. Set `false` behind a pooler in transaction mode that does not support them.',
        },
      },
    },
    changelog: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        retention: {
          type: 'integer',
          minimum: 1,
          default: 24,
          description:
            'Hours that changes are kept for watches to resume from. A watch that resumes later has to list again.',
        },
        maxBytes: {
          type: 'integer',
          minimum: 1_048_576,
          default: 10_737_418_240,
          description:
            'Bytes that kept changes may take in the database; above it the oldest are deleted earlier. 5,000 changes a second of 2 KB fill the default in 18 minutes.',
        },
      },
    },
    feed: feedSettings,
    watch: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        max: {
          type: 'integer',
          minimum: 1,
          default: 20_000,
          description: 'Watches and plugin streams that a process serves at the same time; each takes about 10 KB.',
        },
        maxPerUser: {
          type: 'integer',
          minimum: 1,
          default: 100,
          description:
            'Watches and plugin streams that a process serves at the same time per user, or per client address for anonymous callers.',
        },
      },
    },
    admin: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        username: {
          type: 'string',
          minLength: 1,
          description: 'User name of the first super administrator, created at a start if there is none.',
        },
        passwordFile: {
          type: 'string',
          minLength: 1,
          description: 'File with the password of the first super administrator.',
        },
      },
    },
    audit: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        file: {
          type: 'string',
          minLength: 1,
          description:
            'File or pipe that gets a line for every request that changes something, is denied, or concerns an account. Without it there is no audit log.',
        },
      },
    },
    metrics: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        host: {
          type: 'string',
          minLength: 1,
          default: '127.0.0.1',
          description: 'Address that the metrics port listens on.',
        },
        port: {
          type: 'integer',
          minimum: 1,
          maximum: 65535,
          description:
            'Separate port that serves Prometheus metrics at `/metrics`, without authentication. Without it there are no metrics.',
        },
      },
    },
    plugins: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        isolation: {
          enum: ['auto', 'uid', 'shared'],
          default: 'auto',
          description:
            'Whether each plugin runs as a separate account, isolated from the host and from other plugins. `uid` requires it and needs a host that runs as root. `shared` runs all plugins as the account of the host, which isolates only crashes. `auto` uses `uid` where possible. `/readyz?verbose` shows the result.',
        },
        memoryLimit: {
          type: 'integer',
          minimum: 32,
          default: defaultMemoryLimit,
          description: 'MiB of memory for the processes of a plugin. A plugin that exceeds it is killed and restarted.',
        },
        processLimit: {
          type: 'integer',
          minimum: 1,
          default: defaultProcessLimit,
          description:
            'Processes that a plugin may have at the same time. A plugin that exceeds it is killed and restarted.',
        },
        scratchLimit: {
          type: 'integer',
          minimum: 1,
          default: defaultScratchLimit,
          description:
            'MiB that a plugin may have in its scratch folder, which is its `TMPDIR`; also the maximum size of a file that it writes anywhere. The folder is measured every 5 seconds, and a plugin that exceeds it is killed and restarted with an empty one.',
        },
        startTimeout: {
          type: 'integer',
          minimum: 1,
          default: 30,
          description: 'Seconds within which the process of a plugin must become healthy.',
        },
        startGrace: {
          type: 'integer',
          minimum: 0,
          default: 30,
          description:
            'Seconds that a starting replica waits for its plugins before it is ready. After that, a failing plugin does not make the replica unready.',
        },
        ...pluginFilesSettings,
      },
    },
    replica: replicaSettings,
    secrets: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        keys: {
          type: 'array',
          maxItems: 20,
          items: valueSourceSchema,
          default: [],
          description:
            'Encryption keys for secrets, each 32 random bytes in base64, as `openssl rand -base64 32` prints them. The first key encrypts; all keys decrypt. Each comes from a file or a variable:',
        },
      },
    },
    oidc: oidcSettings,
    log: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        level: {
          enum: ['debug', 'info', 'warn', 'error'],
          default: 'info',
          description: 'Lowest level that is logged.',
        },
        format: {
          enum: ['auto', 'json', 'pretty'],
          default: 'auto',
          description:
            '`json` writes one JSON object a line, also when the server is ready; `pretty` writes text; `auto` uses `pretty` on a terminal.',
        },
      },
    },
  },
} as const

export interface ConfigSources {
  /** The configuration file's name and text. */
  readonly file?: { readonly name: string; readonly text: string }
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Defaults, then the file, then `PERGOLA_*` variables. Reports all errors at once. */
export function loadConfig({ file, env }: ConfigSources): Config {
  const config = file ? withoutUnset(parseFile(file)) : {}
  const { values: fromEnv, faults } = readVariables(env)
  for (const [path, value] of fromEnv) {
    const [section, key] = path.split('.') as [string, string]
    config[section] = { ...config[section], [key]: value }
  }
  const formats = Object.fromEntries(Object.entries(settingFormats).map(([name, { test }]) => [name, test]))
  // Checking our own constant against the draft would take most of the time.
  const options = { allErrors: true, useDefaults: true, verbose: true, validateSchema: false, formats }
  const validate = new Ajv2020(options).compile(configSchema)
  const isSound = validate(config)
  // A missing entry is reported for the list, not for each entry that does not match.
  const told = (validate.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes('/contains/'))
  if (isSound) faults.push(...faultsOfLists(config as unknown as Config, file?.name, fromEnv))
  else faults.push(...told.map((error) => describe(error, file?.name, fromEnv)))
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return config as unknown as Config
}

/** `server.port` as its variable: `PERGOLA_SERVER_PORT`. */
export function variableOf(path: string): string {
  return `PERGOLA_${path
    .replaceAll('.', '_')
    .replaceAll(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase()}`
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

function parseFile({ name, text }: { name: string; text: string }): Sections {
  let value: unknown
  try {
    // The library's own messages would show the line, which may contain a password.
    value = parseYaml(text, { prettyErrors: false })
  } catch (error) {
    const line = error instanceof YAMLParseError ? text.slice(0, error.pos[0]).split('\n').length : 1
    throw new ConfigError(`${name}:${line}: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (value === null || value === undefined) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Sections
  throw new ConfigError(
    `${name}: the file must contain settings by section, such as "server:" with "port: 8090" below it`,
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
  if (type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  return value
}

/** Errors that a schema cannot express: in list entries, and between settings. */
function faultsOfLists(
  { cors, http, server, feed, database }: Config,
  file: string | undefined,
  fromEnv: ReadonlyMap<string, unknown>,
): readonly string[] {
  const faults = (path: string, entries: readonly string[], faultOf: (entry: string) => string | undefined) =>
    entries.flatMap((entry) => {
      const fault = faultOf(entry)
      return fault === undefined ? [] : [`${sourceOf(path, file, fromEnv)}: ${shortened(entry)} ${fault}`]
    })
  return [
    ...faults('cors.origins', cors.origins, (entry) => faultOfOrigin(entry, server.allowInsecureLogin)),
    ...faults('http.trustedProxies', http.trustedProxies, faultOfRange),
    ...(['url', 'directUrl'] as const)
      .filter((key) => database[key]?.startsWith('postgres') && !URL.canParse(database[key]))
      .map((key) => `${sourceOf(`database.${key}`, file, fromEnv)} ${malformedUrl}`),
    ...faultsOfFeed(feed, database.url).map(([key, fault]) => `${sourceOf(`feed.${key}`, file, fromEnv)} ${fault}`),
  ]
}

/** Does not show the value, which has a password. */
const malformedUrl =
  'is not a URL such as postgres://user:password@host:5432/database; in the password write / as %2F, # as %23, ? as %3F, @ as %40, % as %25'

function sourceOf(path: string, file: string | undefined, fromEnv: ReadonlyMap<string, unknown>): string {
  return fromEnv.has(path) ? variableOf(path) : `${file ?? 'configuration'}: ${path}`
}

function describe(error: ErrorObject, file: string | undefined, fromEnv: ReadonlyMap<string, unknown>): string {
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const source = sourceOf(path, file, fromEnv)
  if (error.keyword === 'additionalProperties') {
    const key = String(error.params['additionalProperty'])
    const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as object)
    return `${file ?? 'configuration'}: ${path === '' ? key : `${path}.${key}`} is not a setting${suggestion(key, known)}`
  }
  if (error.keyword === 'enum') return `${source} must be one of ${error.params['allowedValues'].join(', ')}`
  if (error.keyword === 'format') return `${source} must be ${settingFormats[String(error.params['format'])]?.says}`
  if (error.keyword === 'required') return `${source}: ${String(error.params['missingProperty'])} is missing`
  if (error.keyword === 'contains') return `${source} must name openid`
  if (error.keyword === 'pattern' && path === 'feed.natsStream') {
    return `${source} must be of letters, digits, "_" and "-", at most 64`
  }
  if (error.keyword === 'pattern') return `${source} must start with "sqlite:" or "postgres://"`
  return `${source} ${error.message ?? 'is not valid'}`
}

function suggestion(word: string, known: readonly string[]): string {
  const match = nearest(word, known)
  return match === undefined ? `; known are ${known.join(', ')}` : `; did you mean ${match}?`
}
