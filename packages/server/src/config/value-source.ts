import { ConfigError } from './config-error.ts'

/** The source of a value that should not be in the configuration file. */
export type ValueSource = { readonly file: string } | { readonly env: string }

/** Exactly one of the two. */
export const valueSourceSchema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    file: { type: 'string', minLength: 1, description: 'File that contains the value.' },
    env: {
      type: 'string',
      format: 'variable',
      description: 'Environment variable that contains the value; its name must not begin with `PERGOLA_`.',
    },
  },
} as const

/** The files and variables that the process can read. */
export interface ValueReading {
  readonly readFile: (name: string) => string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Whether a configuration value refers to a file or variable. */
export function isValueSource(value: unknown): value is ValueSource {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const [entry, ...others] = Object.entries(value)
  return entry !== undefined && others.length === 0 && /^(file|env)$/.test(entry[0]) && typeof entry[1] === 'string'
}

/** The text of a file that a setting names, without its trailing line break. Throws `ConfigError` that begins with the setting. */
export function readSecretFile(setting: string, file: string, readFile: ValueReading['readFile']): string {
  try {
    return readFile(file).replace(/\r?\n$/, '')
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${setting}: ${error.message}`) : error
  }
}

/** The value without its trailing line break. Throws `ConfigError`. */
export function readValue(source: ValueSource, { readFile, env }: ValueReading): string {
  if ('file' in source) return readFile(source.file).replace(/\r?\n$/, '')
  const value = env[source.env]
  if (value === undefined) throw new ConfigError(`the variable ${source.env} is not set`)
  return value
}
