import { coreResources, type UnplacedSelectorTerm, type User } from '@pergola/api'
import { client } from '../server/client.ts'
import { userTerms } from './user-terms.ts'

/** Without duplicates; users whose user name begins with the text come first. */
export async function findUsers(typed: string, size: number, signal?: AbortSignal): Promise<readonly User[]> {
  const terms = userTerms(typed)
  const selectors = terms.length === 0 ? [[]] : terms.map((term) => [term])
  const lists = await Promise.all(
    selectors.map(async (fieldSelector) =>
      client.resource(coreResources.users).list({ size, fieldSelector }, { signal }),
    ),
  )
  const byName = new Map(lists.flatMap(({ items }) => items).map((user) => [user.metadata.name, user]))
  return [...byName.values()].slice(0, size)
}

/** The term for lists that accept only one: the first term that finds a user, else the first. */
export async function termFor(typed: string): Promise<UnplacedSelectorTerm | undefined> {
  const terms = userTerms(typed)
  const lists = await Promise.all(
    terms.map(async (term) => client.resource(coreResources.users).list({ size: 1, fieldSelector: [term] })),
  )
  return terms.find((_, at) => (lists[at]?.items.length ?? 0) > 0) ?? terms[0]
}

export function nameOfUser({ spec, metadata }: User): string {
  return spec.displayName ?? metadata.name
}
