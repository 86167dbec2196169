import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { parse as parseYaml, YAMLParseError } from 'yaml'
import type { LogLevel } from './log.ts'
import { nearest } from './nearest.ts'

/** What an operator sets, complete with defaults. */
export interface Config {
  readonly server: {
    readonly host: string
    readonly port: number
    readonly stopDelay: number
    readonly drainTimeout: number
    readonly publicUrl?: string
    readonly allowInsecureLogin: boolean
  }
  readonly database: { readonly url: string; readonly namedStatements: boolean }
  readonly changelog: { readonly retention: number; readonly maxBytes: number }
  readonly admin: { readonly username?: string; readonly passwordFile?: string }
  readonly bootstrap: { readonly adminToken?: string; readonly adminTokenFile?: string }
  readonly log: { readonly level: LogLevel; readonly format: 'auto' | 'json' | 'pretty' }
}

/** The one list of settings. The reference page is written from it, and from nothing else. */
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
            'Seconds that a stopping server, already unready, still takes connections; longer than a load balancer needs to notice.',
        },
        drainTimeout: {
          type: 'integer',
          minimum: 0,
          default: 25,
          description: 'Seconds that requests in flight are then given to finish.',
        },
        publicUrl: {
          type: 'string',
          format: 'origin',
          description:
            'The address that people use, such as `https://pergola.example.com`: it decides how browsers keep a session, and which pages may use one. Without it, the address that is listened on.',
        },
        allowInsecureLogin: {
          type: 'boolean',
          default: false,
          description: 'Whether people may sign in over plain http from other machines, where passwords can be read.',
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
        namedStatements: {
          type: 'boolean',
          default: true,
          description:
            'Whether statements are kept on a connection; `false` behind a pooler in transaction mode that cannot keep them.',
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
            'Hours that changes are kept for watchers to go on from; those who come later have to list again.',
        },
        maxBytes: {
          type: 'integer',
          minimum: 1_048_576,
          default: 10_737_418_240,
          description:
            'Room for them in the database; beyond it the oldest go earlier. 5,000 changes a second of 2 KB fill the default in 18 minutes.',
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
          description: 'Name of the first super administrator, made at a start that finds none.',
        },
        passwordFile: { type: 'string', minLength: 1, description: 'A file that holds its password.' },
      },
    },
    bootstrap: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        adminToken: {
          type: 'string',
          description:
            'Token of the first administrator, 32 characters or more. Without one, a new token is made and printed at every start.',
        },
        adminTokenFile: {
          type: 'string',
          minLength: 1,
          description: 'A file that holds that token, in place of the token itself.',
        },
      },
    },
    log: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        level: {
          enum: ['debug', 'info', 'warn', 'error'],
          default: 'info',
          description: 'Least severe line that is written.',
        },
        format: {
          enum: ['auto', 'json', 'pretty'],
          default: 'auto',
          description: 'One JSON object a line, or words; `auto` takes words at a terminal.',
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

/** A configuration that cannot be used: one line a fault, each naming where it stands and what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Defaults, then the file, then `PERGOLA_*` variables. Every fault is reported at once. */
export function loadConfig({ file, env }: ConfigSources): Config {
  const config = file ? withoutUnset(parseFile(file)) : {}
  const { values: fromEnv, faults } = readVariables(env)
  for (const [path, value] of fromEnv) {
    const [section, key] = path.split('.') as [string, string]
    config[section] = { ...config[section], [key]: value }
  }
  const formats = { origin: isOrigin }
  const validate = new Ajv2020({ allErrors: true, useDefaults: true, verbose: true, formats }).compile(configSchema)
  if (!validate(config)) faults.push(...(validate.errors ?? []).map((error) => describe(error, file?.name, fromEnv)))
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

/** A key with nothing behind it, as YAML allows, leaves the default. */
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
    // The library's own messages would show the line, which may hold a password.
    value = parseYaml(text, { prettyErrors: false })
  } catch (error) {
    const line = error instanceof YAMLParseError ? text.slice(0, error.pos[0]).split('\n').length : 1
    throw new ConfigError(`${name}:${line}: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (value === null || value === undefined) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Sections
  throw new ConfigError(`${name}: the file must hold settings by section, such as "server:" with "port: 8090" below it`)
}

/** What Kubernetes puts into every pod beside a service called "pergola". */
const serviceVariable = /^PERGOLA_(SERVICE_(HOST|PORT)(_.*)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/

function readVariables(env: ConfigSources['env']) {
  const settings = Object.entries(configSchema.properties).flatMap(([section, { properties }]) =>
    Object.entries(properties as Record<string, { type?: string }>).map(([key, { type }]) => ({
      path: `${section}.${key}`,
      type,
    })),
  )
  const byVariable = new Map(settings.map((setting) => [variableOf(setting.path), setting]))
  const values = new Map<string, string | number | boolean>()
  const faults: string[] = []
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith('PERGOLA_') || value === undefined || serviceVariable.test(variable)) continue
    const setting = byVariable.get(variable)
    if (!setting) faults.push(`${variable}: is not a setting${suggestion(variable, [...byVariable.keys()])}`)
    else values.set(setting.path, fromText(setting.type, value))
  }
  return { values, faults }
}

/** A variable is text; what does not read as the setting's type stays text and is refused as such. */
function fromText(type: string | undefined, value: string): string | number | boolean {
  if (type === 'integer' && /^\d{1,9}$/.test(value)) return Number(value)
  if (type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  return value
}

function describe(error: ErrorObject, file: string | undefined, fromEnv: ReadonlyMap<string, unknown>): string {
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const source = fromEnv.has(path) ? variableOf(path) : `${file ?? 'configuration'}: ${path}`
  if (error.keyword === 'additionalProperties') {
    const key = String(error.params['additionalProperty'])
    const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as object)
    return `${file ?? 'configuration'}: ${path === '' ? key : `${path}.${key}`} is not a setting${suggestion(key, known)}`
  }
  if (error.keyword === 'enum') return `${source} must be one of ${error.params['allowedValues'].join(', ')}`
  if (error.keyword === 'format')
    return `${source} must be scheme, host and port alone, such as https://pergola.example.com`
  if (error.keyword === 'pattern') return `${source} must start with "sqlite:" or "postgres://"`
  return `${source} ${error.message ?? 'is not valid'}`
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, '')
}

function suggestion(word: string, known: readonly string[]): string {
  const match = nearest(word, known)
  return match === undefined ? `; known are ${known.join(', ')}` : `; did you mean ${match}?`
}
