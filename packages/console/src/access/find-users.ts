import { coreResources, type UnplacedSelectorTerm, type User } from '@pergola/api'
import { client } from '../server/client.ts'
import { userTerms } from './user-terms.ts'

/** Each once, those whose user name begins with the text first. */
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

/** The term that finds somebody, for a list that can be filtered by one; the first when none does. */
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
