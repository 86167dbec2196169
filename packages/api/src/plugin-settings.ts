import type { JsonSchema } from './object-schema.ts'

/** Name of the config map and of the secret that store a plugin's settings. */
export function settingsObjectName(plugin: string): string {
  return `${plugin}${settingsSuffix}`
}

const settingsSuffix = '-settings'

/** Plugin whose settings are stored under this object name; undefined when the name does not end in `-settings`. */
export function pluginOfSettings(name: string): string | undefined {
  return name.endsWith(settingsSuffix) ? name.slice(0, -settingsSuffix.length) : undefined
}

/** Names of the settings that are stored in the secret: those with `writeOnly: true` in the schema. */
export function secretSettings({ properties }: JsonSchema): readonly string[] {
  return Object.entries(isObject(properties) ? properties : {})
    .filter(([, field]) => isObject(field) && field['writeOnly'] === true)
    .map(([name]) => name)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
