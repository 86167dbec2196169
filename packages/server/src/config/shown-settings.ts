import type { LoadedSettings } from './config.ts'
import { configSchema } from './config-schema.ts'
import { isValueSource } from './value-source.ts'

/** A setting in force, without secrets. */
export interface ShownSetting {
  readonly setting: string
  /** Undefined when it is not set and has no default. */
  readonly value?: unknown
  /** Its variable, its file and line, or `default`. */
  readonly from: string
}

const hidden = '***'
const secretParameter = /pass|secret|token|key/i

/** All settings by section, each with its value and source. Secrets are masked. */
export function shownSettings({ config, sources }: LoadedSettings): readonly ShownSetting[] {
  const given = config as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>
  return Object.entries(configSchema.properties).flatMap(([section, { properties }]) =>
    Object.keys(properties)
      .flatMap((key) => leavesOf(`${section}.${key}`, given[section]?.[key]))
      .map(([setting, value]) => ({
        setting,
        ...(value !== undefined && { value: masked(setting, value) }),
        from: sources.of(setting) ?? (value === undefined ? 'not set' : 'default'),
      })),
  )
}

/** Maps, and lists of maps, are shown by their entries; a value from a file or variable by its source. */
function leavesOf(path: string, value: unknown): readonly (readonly [path: string, value: unknown])[] {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
  const isList = Array.isArray(value) && value.some((item) => typeof item === 'object')
  const entries = isMap || isList ? Object.entries(value) : []
  if (entries.length === 0 || isValueSource(value)) return [[path, value]]
  return entries.flatMap(([key, inner]) => leavesOf(`${path}.${key}`, inner))
}

function masked(setting: string, value: unknown): unknown {
  // A setting of a plugin may be a secret; the configuration does not know.
  if (setting.startsWith('plugins.settings.') && !isValueSource(value) && !isEmptyMap(value)) return hidden
  return typeof value === 'string' && /^database\.\w*[uU]rl$/.test(setting) ? withoutPassword(value) : value
}

function withoutPassword(text: string): string {
  const url = text.startsWith('postgres') ? URL.parse(text) : null
  if (!url) return text
  if (url.password !== '') url.password = hidden
  for (const name of url.searchParams.keys()) if (secretParameter.test(name)) url.searchParams.set(name, hidden)
  return url.href
}

function isEmptyMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
