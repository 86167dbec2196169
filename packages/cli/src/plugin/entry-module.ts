/** Name of the virtual entry module of the bundle, and of the module that runs before everything else in it. */
export const entryModule = 'pergola:plugin'
export const firstModule = 'pergola:first'

/** The source of a virtual module. */
export function entrySource(module: string, plugin: string): string {
  return `${(module === firstModule ? firstLines : entryLines(plugin)).join('\n')}\n`
}

/** Stack traces name the plugin's sources, also when loading the plugin throws. */
const firstLines = [
  `import { mapStacks } from '@pergola/plugin-sdk/run'`,
  `if (process.env.PERGOLA_PROTOCOL !== undefined) mapStacks(import.meta.url)`,
]

/** Started by a host, it runs the plugin. Imported otherwise, it only exports the plugin and `inspect` of the same SDK. */
function entryLines(plugin: string): readonly string[] {
  return [
    `import ${JSON.stringify(firstModule)}`,
    `import plugin from ${JSON.stringify(plugin)}`,
    `import { inspect } from '@pergola/plugin-sdk'`,
    `import { run } from '@pergola/plugin-sdk/run'`,
    `export { plugin as default, inspect }`,
    `if (process.env.PERGOLA_PROTOCOL !== undefined) await run(plugin)`,
  ]
}
