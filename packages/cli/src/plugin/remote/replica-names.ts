import type { Connection } from '../../server/connect.ts'

/** The names of the live replicas by their ids; empty for callers who may not list them. */
export async function namesOfReplicas({ client }: Pick<Connection, 'client'>): Promise<ReadonlyMap<string, string>> {
  const path = '/apis/console.api.platform.run/v1alpha1/replicas'
  const answer = await client.call({ method: 'GET', path }).catch(() => ({ items: [] }))
  const { items } = answer as { readonly items: readonly { readonly id: string; readonly name: string }[] }
  return new Map(items.map(({ id, name }) => [id, name]))
}
