import { ApiError, secretSettings, type JsonSchema } from '@pergola/api'
import type { PluginContext } from '../handler-context.ts'
import type { AnyPlugin } from '../plugin.ts'
import { fillDefaults } from './fill-defaults.ts'

/** Returns the settings that an operator has entered. Called on every access. */
export type SettingsSource = () => Readonly<Record<string, unknown>>

/**
 * Creates `settings(Settings)`: the current settings, with defaults filled in. Throws `Unavailable` until every required setting
 * is entered, because the type promises them.
 */
export function createSettings(plugin: AnyPlugin, source: SettingsSource = () => ({})): PluginContext['settings'] {
  return (settings) => {
    if (settings !== plugin.settings) {
      throw new Error(`these are no settings of the plugin "${plugin.name}"; name them in definePlugin`)
    }
    const values = fillDefaults(settings.schema, structuredClone(source()))
    refuseIncomplete(plugin.name, settings.schema as JsonSchema, values)
    return values as never
  }
}

/** Checks the top level only: the host has validated each value that was entered. */
function refuseIncomplete(plugin: string, schema: JsonSchema, values: Readonly<Record<string, unknown>>): void {
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly string[]) : []
  const missing = required.filter((name) => values[name] === undefined)
  if (missing.length === 0) return
  const secrets = secretSettings(schema)
  const entered = missing.map((name) => (secrets.includes(name) ? `--set-secret ${name}` : `${name}=<value>`))
  const words = `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`
  const command = `pergola plugin settings ${plugin} ${entered.join(' ')}`
  throw new ApiError('Unavailable', `the settings of plugin "${plugin}" are incomplete: ${words}; run ${command}`)
}
