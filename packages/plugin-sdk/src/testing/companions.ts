import type { PluginDefinition } from '@pergola/api'
import { inspect } from '../inspect/inspect.ts'
import type { AnyPlugin } from '../plugin.ts'
import type { ServerModule } from './embedded-server.ts'
import { pluginArchive } from './plugin-archive.ts'

/** A plugin that runs beside the tested one: its definition, or the name of one that ships with the host. */
export type Companion = AnyPlugin | string

/** A plugin with an installable package. */
export interface TestedPlugin {
  readonly plugin: AnyPlugin
  readonly definition: PluginDefinition
  readonly archive: Uint8Array<ArrayBuffer>
}

/** Throws unless each dependency of the plugin and of its companions is given. */
export function assertComplete(plugin: AnyPlugin, companions: readonly Companion[]): void {
  const names = new Set([plugin, ...companions].map((one) => (typeof one === 'string' ? one : one.name)))
  for (const one of [plugin, ...companions]) {
    if (typeof one === 'string') continue
    const missing = Object.keys(one.dependencies ?? {}).find((name) => !names.has(name))
    if (missing === undefined) continue
    const what = `the plugin "${one.name}" depends on the plugin "${missing}"`
    const cure = 'pass its definition, or its name if it ships with the host'
    throw new Error(`${what}; ${cure}: testHost(plugin, { with: [${missing}] })`)
  }
}

/** The companions with a definition, each after those that it depends on, of versions that their dependents accept. */
export function packCompanions(
  plugin: AnyPlugin,
  companions: readonly Companion[],
  versionWithin: ServerModule['versionWithin'],
): readonly TestedPlugin[] {
  const defined = companions.filter((one) => typeof one !== 'string')
  return inOrder(defined).map((one) => {
    const ranges = [plugin, ...defined].flatMap(({ dependencies = {} }) => dependencies[one.name] ?? [])
    const definition = inspect(one)
    return { plugin: one, definition, archive: pluginArchive(definition, versionWithin(ranges)) }
  })
}

function inOrder(plugins: readonly AnyPlugin[]): readonly AnyPlugin[] {
  const ordered = new Set<AnyPlugin>()
  const visited = new Set<AnyPlugin>()
  const visit = (plugin: AnyPlugin) => {
    if (visited.has(plugin)) return
    visited.add(plugin)
    for (const name of Object.keys(plugin.dependencies ?? {})) {
      const needed = plugins.find((one) => one.name === name)
      if (needed) visit(needed)
    }
    ordered.add(plugin)
  }
  for (const plugin of plugins) visit(plugin)
  return [...ordered]
}
