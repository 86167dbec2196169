import type { PluginContext } from '../handler-context.ts'
import type { AnyPlugin } from '../plugin.ts'
import { fillDefaults } from './fill-defaults.ts'

/** Returns the settings that an operator has entered. Called on every access. */
export type SettingsSource = () => Readonly<Record<string, unknown>>

/** Creates `settings(Settings)`: the current settings, with defaults filled in. */
export function createSettings(plugin: AnyPlugin, source: SettingsSource = () => ({})): PluginContext['settings'] {
  return (settings) => {
    if (settings !== plugin.settings) {
      throw new Error(`these are no settings of the plugin "${plugin.name}"; name them in definePlugin`)
    }
    return fillDefaults(settings.schema, structuredClone(source())) as never
  }
}
