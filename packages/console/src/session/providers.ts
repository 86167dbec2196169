import { shallowRef, type ShallowRef } from 'vue'
import { client } from '../server/client.ts'

/** An identity provider to sign in with. */
export interface Provider {
  readonly name: string
  readonly displayName: string
  readonly path: string
}

/** The identity providers of this host; none until they are known. */
export function useProviders(): ShallowRef<readonly Provider[]> {
  const providers = shallowRef<readonly Provider[]>([])
  const read = async () => {
    const answer = await client.call({ method: 'GET', path: '/auth/oidc' }).catch(() => ({ items: [] }))
    providers.value = (answer as { readonly items: readonly Provider[] }).items
  }
  void read()
  return providers
}

/** Where a sign-in with the provider begins; it ends on a page of the console. */
export function addressOf({ path }: Provider, returnTo: string): string {
  return `${path}?returnTo=${encodeURIComponent(`/console${returnTo}`)}`
}
