import { hueFault, iconFault, pluginNameFault, type PluginDefinition, limitsFault } from '@pergola/api'
import type { AnyPlugin } from '../plugin.ts'
import { claimedGroups } from './claimed-groups.ts'
import { declareControllers, declareSchedules } from './declare-background.ts'
import { declareModels } from './declare-models.ts'
import { declareOwned } from './declare-owned.ts'
import { declarePages } from './declare-pages.ts'
import { declareRoles } from './declare-roles.ts'
import { declareRoutes } from './declare-routes.ts'
import { declareSettings } from './declare-settings.ts'
import { about, DefinitionError, type DefinitionFault, type Report } from './faults.ts'
import { optionFaults } from './option-faults.ts'
import { overlapFaults, prefixFaults } from './reach-faults.ts'
import { resolveRule } from './rules.ts'

export interface InspectOptions {
  /** The plugin ships with the host and may use reserved groups. */
  readonly comesWithHost?: boolean
}

/**
 * Returns the plugin's definition as a JSON document. Runs none of its code and is deterministic. Throws a `DefinitionError`
 * that lists everything a host would reject, as far as that is visible without a host.
 */
export function inspect(plugin: AnyPlugin, options: InspectOptions = {}): PluginDefinition {
  const faults: DefinitionFault[] = []
  const report: Report = (where, message) => {
    if (message !== undefined) faults.push({ where, message })
  }
  const definition = define(plugin, options, report)
  if (faults.length > 0) throw new DefinitionError(plugin.name, faults)
  // Drops undefined values, and shares no object with the plugin's code.
  return JSON.parse(JSON.stringify(definition)) as PluginDefinition
}

function define(plugin: AnyPlugin, options: InspectOptions, report: Report): PluginDefinition {
  const { name, displayName, description, icon, color, requires, dependencies, needs } = plugin
  optionFaults('plugin', plugin, (fault) => report('definePlugin', fault))
  report('name', about(name, pluginNameFault(name)))
  if (icon !== undefined) report('icon', about(icon, iconFault(icon)))
  if (color !== undefined) report('color', about(color, hueFault(color)))
  for (const other of Object.keys(dependencies ?? {})) {
    report(
      'dependencies',
      other === name ? 'names the plugin itself; leave it out' : about(other, pluginNameFault(other)),
    )
  }
  if (needs !== undefined) report('needs', limitsFault(needs))
  const { groups, api } = claimedGroups(plugin, options, report)
  const models = declareModels(plugin, report)
  const routes = declareRoutes(plugin, { groups, api }, report)
  const owned = declareOwned(plugin, models, report)
  const reachable = [...owned.flatMap((one) => one.reachable), ...routes]
  overlapFaults(reachable, report)
  prefixFaults(name, { models, reachable }, report)
  return {
    protocol: 1,
    name,
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    ...(icon !== undefined && { icon }),
    ...(color !== undefined && { color }),
    ...(requires !== undefined && { requires }),
    ...(dependencies && { dependencies }),
    ...(needs && { needs }),
    groups,
    ...(api !== undefined && { api }),
    models,
    routes: routes.map(({ declaration }) => declaration),
    apps: (['console', 'uc', 'public'] as const).filter(
      (audience) => plugin[audience] && !Array.isArray(plugin[audience]),
    ),
    owned: owned.map(({ declaration }) => declaration),
    roles: declareRoles(plugin, { groups, reachable }, report),
    ...(plugin.settings && { settings: declareSettings(plugin.settings, report) }),
    controllers: declareControllers({ plugin, groups }, report),
    schedules: declareSchedules(plugin, report),
    permissions: (plugin.permissions ?? []).map((rule, at) =>
      resolveRule(rule, { plugin, groups }, (message) => report(`permissions[${at}]`, message)),
    ),
    ...(plugin.pages && { pages: declarePages(plugin, report) }),
  }
}
