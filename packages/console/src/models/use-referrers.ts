import { useQuery } from '@tanstack/vue-query'
import { computed, toValue, type ComputedRef, type MaybeRefOrGetter } from 'vue'
import { client } from '../server/client.ts'
import { useModels, type ListedModel } from './listed-models.ts'
import { referencesTo, type ReferenceFrom } from './references-to.ts'

export interface ReferrerCount extends ReferenceFrom {
  /** Counted to 1,000. */
  readonly count: number
}

/** The objects that name this one. Models that the signed-in user may not list are left out. */
export function useReferrers(
  target: MaybeRefOrGetter<ListedModel>,
  name: MaybeRefOrGetter<string>,
): ComputedRef<readonly ReferrerCount[]> {
  const models = useModels()
  const references = computed(() => referencesTo(toValue(target), models.data.value ?? []))
  const read = useQuery({
    queryKey: computed(() => ['referrers', toValue(target).plural, toValue(target).group, toValue(name)]),
    queryFn: async () => {
      const counts = await Promise.all(
        references.value.map(async (one) => ({ ...one, count: await countOf(one, toValue(target), toValue(name)) })),
      )
      return counts.filter(({ count }) => count > 0)
    },
    enabled: () => references.value.length > 0,
  })
  return computed(() => read.data.value ?? [])
}

async function countOf({ model, path }: ReferenceFrom, target: ListedModel, name: string): Promise<number> {
  const from = `${model.plural}.${model.group}/${path}`
  const fieldSelector = [{ key: 'metadata.name', op: 'in', values: [name] } as const]
  const { referrers } = await client
    .resource(target)
    .list({ fieldSelector, size: 1, referrers: [from] })
    .catch(() => ({ referrers: undefined }))
  return referrers?.[from]?.[name] ?? 0
}
