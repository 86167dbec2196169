import type { PluginContext } from '../handler-context.ts'
import type { AnyPlugin } from '../plugin.ts'
import { fillDefaults } from './fill-defaults.ts'

/** What an operator has filled in so far. Asked whenever code asks for its settings. */
export type SettingsSource = () => Readonly<Record<string, unknown>>

/** `settings(Settings)`: as they are now, with defaults for what nobody has filled in. */
export function createSettings(plugin: AnyPlugin, source: SettingsSource = () => ({})): PluginContext['settings'] {
  return (settings) => {
    if (settings !== plugin.settings) {
      throw new Error(`these are no settings of the plugin "${plugin.name}"; name them in definePlugin`)
    }
    return fillDefaults(settings.schema, structuredClone(source())) as never
  }
}
