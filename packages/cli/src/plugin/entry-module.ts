import { join } from 'node:path'

/** Name of the virtual entry module of the bundle, and of the module that runs before everything else in it. */
export const entryModule = 'pergola:plugin'
export const firstModule = 'pergola:first'

/** The source of a virtual module. */
export function entrySource(module: string, entry: Entry): string {
  return `${(module === firstModule ? firstLines : entryLines(entry)).join('\n')}\n`
}

export interface Entry {
  readonly folder: string
  /** File of the plugin, relative to the folder. */
  readonly plugin: string
  /** Files of the server that pages import, relative to the folder. */
  readonly shown: readonly string[]
}

/** Stack traces name the plugin's sources, also when loading the plugin throws. */
const firstLines = [
  `import { mapStacks } from '@pergola/plugin-sdk/run'`,
  `if (process.env.PERGOLA_PROTOCOL !== undefined) mapStacks(import.meta.url)`,
]

/** Started by a host, it runs the plugin. Imported otherwise, it only exports the plugin and `inspect` of the same SDK. */
function entryLines({ folder, plugin, shown }: Entry): readonly string[] {
  return [
    `import ${JSON.stringify(firstModule)}`,
    `import plugin from ${pathOf(folder, plugin)}`,
    `import { inspect } from '@pergola/plugin-sdk'`,
    `import { run } from '@pergola/plugin-sdk/run'`,
    `export { plugin as default, inspect }`,
    ...shownLines(folder, shown),
    `if (process.env.PERGOLA_PROTOCOL !== undefined) await run(plugin)`,
  ]
}

function pathOf(folder: string, file: string): string {
  return JSON.stringify(join(folder, file))
}

/** What pages import is read by inspection as well. */
function shownLines(folder: string, shown: readonly string[]): readonly string[] {
  if (shown.length === 0) return []
  const values = shown.map((file, at) => `${JSON.stringify(file)}: pageValues(plugin, shown${at})`)
  return [
    `import { pageValues } from '@pergola/plugin-sdk'`,
    ...shown.map((file, at) => `import * as shown${at} from ${pathOf(folder, file)}`),
    `export const forPages = () => ({ ${values.join(', ')} })`,
  ]
}
