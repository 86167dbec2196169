import { ApiError, type ResourceRequest } from '@pergola/api'
import type { ModelKey, StoredObject } from '../../store/store.ts'
import type { ModelRegistry } from '../definition/registry.ts'
import { pathOf, type Model } from '../model.ts'
import { queryFault } from './query-parameters.ts'
import type { Paging } from './paging.ts'

/** What a list needs to answer about objects of other models. */
export interface RelatedParts {
  readonly models: Pick<ModelRegistry, 'all' | 'using'>
  /** Whether the caller may send the request. */
  readonly may: (request: ResourceRequest) => Promise<boolean>
  /** Whether the caller may send the request for some name. */
  readonly maySome: (request: ResourceRequest) => Promise<boolean>
  /** Throws if the models of the group are not served at the moment. */
  readonly assertServed: (group: string) => void
  readonly isAnonymous: boolean
}

/** Members of the answer beside its items, each with its separator, made from the objects of the page. */
export type Beside = (items: readonly StoredObject[]) => Promise<readonly Buffer[]>

/** Of each parameter. */
export const maxRelated = 4

/** The values of a repeatable parameter, without duplicates. Throws if the page is not limited to `limit` objects. */
export function relatedIn(
  { query, size }: Paging,
  { parameter, limit }: { readonly parameter: 'expand' | 'referrers'; readonly limit: number },
): readonly string[] {
  const said = new Set(query.getAll(parameter).flatMap((text) => text.split(',').map((one) => one.trim())))
  if (said.size === 0) return []
  if (said.size > maxRelated) {
    throw queryFault('BadRequest', parameter, `has ${said.size} values; at most ${maxRelated} are allowed`)
  }
  if (size === undefined || size > limit) {
    throw queryFault('BadRequest', parameter, `needs pages of at most ${limit} objects; send size=${limit} or less`)
  }
  return [...said]
}

export function requestFor(model: Model, verb: 'get' | 'list', name?: string): ResourceRequest {
  const { group, version, plural } = model
  const path = name === undefined ? pathOf(model) : `${pathOf(model)}/${name}`
  return { kind: 'resource', verb, path, group, version, resource: plural, ...(name !== undefined && { name }) }
}

/** `<plural>.<group>`, or the plural alone in the core group. */
export function resourceOf({ group, plural }: ModelKey): string {
  return group === '' ? plural : `${plural}.${group}`
}

export function denied({ isAnonymous }: RelatedParts, what: string): ApiError {
  return new ApiError(isAnonymous ? 'Unauthenticated' : 'Forbidden', what)
}
