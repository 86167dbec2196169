/** Name of the virtual entry module of the bundle. */
export const entryModule = 'pergola:plugin'

/**
 * Source of the entry module. Started by a host, it runs the plugin. Imported otherwise, it only exports the plugin and the
 * `inspect` code of the same SDK.
 */
export function entrySource(plugin: string): string {
  return [
    `import plugin from ${JSON.stringify(plugin)}`,
    `import { inspect } from '@pergola/plugin-sdk'`,
    `import { run } from '@pergola/plugin-sdk/run'`,
    `export { plugin as default, inspect }`,
    `if (process.env.PERGOLA_PROTOCOL !== undefined) await run(plugin)`,
    '',
  ].join('\n')
}
