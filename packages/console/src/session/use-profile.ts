import { useQuery } from '@tanstack/vue-query'
import { computed, type ComputedRef } from 'vue'
import { client, publicApi } from '../server/client.ts'
import { session } from './session.ts'

interface Profile {
  readonly displayName?: string
  readonly email?: string
}

export const profilePath = `${publicApi}/users/-`

/** The signed-in user's own data. */
export function useProfile(): {
  readonly profile: ComputedRef<Profile | undefined>
  /** The display name, else the user name. */
  readonly name: ComputedRef<string>
  readonly error: ComputedRef<unknown>
} {
  const read = useQuery({
    queryKey: ['profile'],
    queryFn: async ({ signal }) => (await client.call({ method: 'GET', path: profilePath, signal })) as Profile,
    enabled: () => Boolean(session.value),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return {
    profile: computed(() => read.data.value),
    error: computed(() => read.error.value),
    name: computed(() => read.data.value?.displayName ?? session.value?.username ?? ''),
  }
}
