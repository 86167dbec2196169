import { sectionOf, type PluginDefinition, type Section } from '@pergola/api'
import { countOf, type BelongingParts } from './removal/belongings.ts'

interface Takeover {
  readonly sections: readonly Section[]
  readonly approvals: readonly string[]
}

/** For a plugin that is not installed: models in its groups that exist already, declared without it. From then on they are its own. */
export async function describeTakeover(
  parts: Pick<BelongingParts, 'store' | 'models'>,
  { groups, models: declared }: PluginDefinition,
): Promise<Takeover> {
  const found = parts.models().filter(({ group }) => groups.includes(group))
  const lines = await Promise.all(
    found.map(async (model) => {
      const { group, plural } = model
      const isReplaced = declared.some((one) => one.group === group && one.plural === plural)
      const fate = isReplaced ? 'its schema and indexes are replaced' : 'it is not in the package'
      return `${plural} of ${group}, declared without it, with ${await countOf(parts, model)} objects; ${fate}`
    }),
  )
  return {
    sections: sectionOf('takes over', lines),
    approvals: found.map(({ group, plural }) => `take over ${plural} of ${group}`),
  }
}
