import type { JsonSchema } from './object-schema.ts'

/** The config map and the secret in which the settings of a plugin are kept. */
export function settingsObjectName(plugin: string): string {
  return `${plugin}${settingsSuffix}`
}

const settingsSuffix = '-settings'

/** The plugin whose settings an object of this name would be; undefined for any other name. */
export function pluginOfSettings(name: string): string | undefined {
  return name.endsWith(settingsSuffix) ? name.slice(0, -settingsSuffix.length) : undefined
}

/** The fields of a plugin's settings that are kept in the secret, by the schema of its definition. */
export function secretSettings({ properties }: JsonSchema): readonly string[] {
  return Object.entries(isObject(properties) ? properties : {})
    .filter(([, field]) => isObject(field) && field['writeOnly'] === true)
    .map(([name]) => name)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
