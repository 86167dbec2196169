import { ConfigError } from './config-error.ts'
import { isValueSource, readValue, type ValueReading } from './value-source.ts'

/** The plugins of an installation, as configured. */
export interface PluginFilesSettings {
  readonly directory?: string
  readonly enabled: Readonly<Record<string, boolean>>
  readonly approve: Readonly<Record<string, readonly string[]>>
  readonly settings: GivenSettings
}

/** By plugin and field. */
export type GivenSettings = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export const pluginFilesSettings = {
  directory: {
    type: 'string',
    minLength: 1,
    description:
      'A folder of packages: at a start each `.tgz` in it is installed, or takes the place of an older version. What fails is logged, and leaves what runs.',
  },
  enabled: {
    type: 'object',
    maxProperties: 1_000,
    additionalProperties: { type: 'boolean' },
    default: {},
    description: 'By the name of a plugin, whether it runs; set at every start. What is not named stays as it is.',
  },
  approve: {
    type: 'object',
    maxProperties: 1_000,
    additionalProperties: { type: 'array', maxItems: 1_000, items: { type: 'string', minLength: 1 } },
    default: {},
    description:
      'By the name of a plugin, what packages in the folder may do, in the words in which they ask for it. A package that asks for more is passed over.',
  },
  settings: {
    type: 'object',
    maxProperties: 1_000,
    additionalProperties: { type: 'object', maxProperties: 1_000 },
    default: {},
    description:
      'By the name of a plugin, its settings, set at every start; each value as it is, or from `{ file: … }` or `{ env: … }`.',
  },
} as const

/** Resolves values from files and variables. Throws `ConfigError` with all errors, one line each. */
export function givenSettingsOf(
  { settings }: Pick<PluginFilesSettings, 'settings'>,
  reading: ValueReading,
): GivenSettings {
  const faults: string[] = []
  const valueOf = (value: unknown, where: string): unknown => {
    if (!isValueSource(value)) return value
    try {
      return readValue(value, reading)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      faults.push(`${where}: ${error.message}`)
      return ''
    }
  }
  const read = Object.entries(settings).map(([plugin, values]) => {
    const fields = Object.entries(values).map(([field, value]) => [
      field,
      valueOf(value, `plugins.settings.${plugin}.${field}`),
    ])
    return [plugin, Object.fromEntries(fields) as Record<string, unknown>] as const
  })
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return Object.fromEntries(read)
}
