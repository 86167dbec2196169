/** What the bundle begins with; no file has this name. */
export const entryModule = 'pergola:plugin'

/**
 * Run by a host it is the plugin's process. Loaded by anybody else it does nothing, and hands out the plugin with the very code
 * that will describe it to the host.
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
