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
      'Folder of packages. At a start each `.tgz` in it is installed or upgrades an older version. A failure is logged, and the installed version keeps running.',
  },
  enabled: {
    type: 'object',
    maxProperties: 1_000,
    additionalProperties: { type: 'boolean' },
    default: {},
    description: 'Whether plugins run, by plugin name; applied at every start. Other plugins are not changed.',
  },
  approve: {
    type: 'object',
    maxProperties: 1_000,
    additionalProperties: { type: 'array', maxItems: 1_000, items: { type: 'string', minLength: 1 } },
    default: {},
    description:
      'Approvals for packages in the folder, by plugin name, as the plan of the package lists them. A package that requests more is skipped.',
  },
  settings: {
    type: 'object',
    maxProperties: 1_000,
    additionalProperties: { type: 'object', maxProperties: 1_000 },
    default: {},
    description:
      'Settings of plugins, by plugin name; applied at every start. Each value is literal or comes from `{ file: … }` or `{ env: … }`.',
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
