import { groupsWithAudiences, sectionOf, settingsObjectName, type Rule, type Section } from '@pergola/api'
import type { Manifest } from './manifest.ts'
import type { PluginSpec } from './plugin-model.ts'
import { coreModel, countOf, type BelongingParts } from './removal/belongings.ts'

/** What exists already and becomes accessible to the plugin. */
export interface Takeover {
  readonly sections: readonly Section[]
  /** Only what is new to the plugin is approved by name. */
  readonly approvals: readonly string[]
  /** The rights that the plugin's code gets on all of it, new or not: an upgrade is other code. */
  readonly rules: readonly Rule[]
}

/** Models in the plugin's groups, and objects with the name of its settings, as they are now. */
export async function takeoverBy(
  parts: Pick<BelongingParts, 'store' | 'models'>,
  { name, definition }: Manifest,
  installed: PluginSpec | undefined,
): Promise<Takeover> {
  const known = new Set(groupsWithAudiences(installed?.groups ?? []))
  const all = new Set([...known, ...groupsWithAudiences(definition.groups)])
  const found = parts.models().filter(({ group }) => all.has(group))
  const added = found.filter(({ group }) => !known.has(group))
  const settings = await existingSettings(parts, name)
  const lines = await Promise.all(
    added.map(async (model) => {
      const { group, plural } = model
      const isReplaced = definition.models.some((one) => one.group === group && one.plural === plural)
      const fate = isReplaced ? 'its schema and indexes are replaced' : 'it is not in the package'
      return `${plural} of ${group}, declared without it, with ${await countOf(parts, model)} objects; ${fate}`
    }),
  )
  const newSettings = installed ? [] : settings
  return {
    sections: sectionOf('takes over', [
      ...lines,
      ...newSettings.map(({ kind, object }) => `the ${kind} ${object}, which becomes its settings`),
    ]),
    approvals: [
      ...added.map(({ group, plural }) => `take over ${plural} of ${group}`),
      ...newSettings.map(({ kind, object }) => `take over ${kind} ${object}`),
    ],
    rules: [
      ...[...new Set(found.map(({ group }) => group))].map((group): Rule => ({
        apiGroups: [group],
        resources: ['*'],
        verbs: ['*'],
      })),
      ...settings.map(({ kind, object }): Rule => ({
        apiGroups: [''],
        resources: [`${kind}s`],
        resourceNames: [object],
        verbs: ['get', 'watch'],
      })),
    ],
  }
}

async function existingSettings(parts: Pick<BelongingParts, 'store' | 'models'>, plugin: string) {
  const object = settingsObjectName(plugin)
  const found = await Promise.all(
    ['ConfigMap', 'Secret'].map(async (kind) => {
      const stored = await parts.store.get(coreModel(parts, kind), object)
      return stored ? [{ kind: kind.toLowerCase(), object }] : []
    }),
  )
  return found.flat()
}
