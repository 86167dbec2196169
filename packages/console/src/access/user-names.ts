import { coreResources } from '@pergola/api'
import { useQuery } from '@tanstack/vue-query'
import { computed, toValue, type ComputedRef, type MaybeRefOrGetter } from 'vue'
import { client } from '../server/client.ts'
import { useMay } from '../session/use-may.ts'
import { createNames } from './create-names.ts'

const mostAtOnce = 100
const staleMs = 60_000

const names = createNames(mostAtOnce, async (some) => {
  const fieldSelector = [{ key: 'metadata.name', op: 'in', values: some } as const]
  const { items } = await client.resource(coreResources.users).list({ fieldSelector, size: mostAtOnce })
  return new Map(items.map(({ metadata, spec }) => [metadata.name, spec.displayName ?? metadata.name]))
})

/** The display name of a user; the user name if it has none, or if the signed-in user may not read users. */
export function useUserName(username: MaybeRefOrGetter<string>): ComputedRef<string> {
  const mayList = useMay({ verb: 'list', group: '', resource: 'users' })
  const read = useQuery({
    queryKey: computed(() => ['user name', toValue(username)]),
    queryFn: async () => names(toValue(username)),
    enabled: () => mayList.value && toValue(username) !== '',
    staleTime: staleMs,
  })
  return computed(() => read.data.value ?? toValue(username))
}
