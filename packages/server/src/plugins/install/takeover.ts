import { groupsWithAudiences, settingsObjectName, type RequiredApproval, type Rule } from '@pergola/api'
import type { Manifest } from '../package/manifest.ts'
import type { PluginSpec } from '../plugin-model.ts'
import { coreModel, countOf, type BelongingParts } from '../removal/belongings.ts'

/** Existing data that becomes accessible to the plugin. */
export interface Takeover {
  /** Only data that is new to the plugin needs approval by name. */
  readonly approvals: readonly RequiredApproval[]
  /** The rights of the plugin's code on all of it, new or not, because an upgrade changes the code. */
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
  const models = await Promise.all(
    added.map(async (model): Promise<RequiredApproval> => {
      const { group, plural } = model
      const isReplaced = definition.models.some((one) => one.group === group && one.plural === plural)
      const count = await countOf(parts, model)
      const values = { resource: plural, group, count, replaced: isReplaced ? 'yes' : 'no' } as const
      const approval = `take over ${plural} of ${group}`
      return { section: 'takeover', item: { code: 'takeover-model', values, risk: 'decision', approval } }
    }),
  )
  const newSettings = (installed ? [] : settings).map(({ kind, object }): RequiredApproval => {
    const values = { kind, name: object }
    const approval = `take over ${kind} ${object}`
    return { section: 'takeover', item: { code: 'takeover-settings', values, risk: 'decision', approval } }
  })
  return {
    approvals: [...models, ...newSettings],
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
