import { ApiError, isApiError, type Referrers, type ResourceRequest } from '@pergola/api'
import { keyOf } from '../store/model-table.ts'
import type { Store } from '../store/store.ts'
import { WriteConflict } from '../store/write-conflict.ts'
import type { ModelRegistry } from './definition/registry.ts'
import type { MayRefer, Model } from './model.ts'
import { requestFor, resourceOf } from './query/related.ts'

const maxNames = 20
const maxCount = 1_000

export interface ReferrerParts {
  readonly store: Store
  readonly models: ModelRegistry
  /** Whether the caller may send the request. */
  readonly may: (request: ResourceRequest) => Promise<boolean>
}

/** The error of a deletion, with the objects that refer to the object. Any other error passes unchanged. */
export async function withReferrers(error: unknown, parts: ReferrerParts): Promise<unknown> {
  const conflict = isApiError(error) ? error.cause : undefined
  if (!isApiError(error) || !(conflict instanceof WriteConflict) || conflict.kind !== 'referred') return error
  const { model, name } = conflict.operation
  const found: Referrers[] = []
  for (const from of parts.models.all()) found.push(...(await referrersIn(parts, from, { model, name })))
  const known = found.flatMap((one) => ('hidden' in one ? [] : [one]))
  const isHidden = known.length < found.length
  const words = known.map(
    ({ resource, path, count }) => `${count === maxCount ? 'more than ' : ''}${count} ${resource} (${path})`,
  )
  const by = [...words, ...(isHidden ? ['objects that you may not list'] : [])].join(', ')
  return new ApiError('InUse', `${error.message}: ${by || 'another object'}; delete or change them first`, {
    cause: conflict,
    ...(error.params && { params: { ...error.params, by } }),
    referrers: [...known, ...(isHidden ? [{ hidden: true } as const] : [])],
  })
}

async function referrersIn(
  { store, models, may }: ReferrerParts,
  from: Model,
  { model, name }: { readonly model: WriteConflict['operation']['model']; readonly name: string },
): Promise<readonly Referrers[]> {
  const { group, version, plural } = from
  const referring = from.indexes.filter(({ refersTo }) => refersTo && keyOf(refersTo) === keyOf(model))
  const found: Referrers[] = []
  for (const index of referring) {
    const where = [{ field: index.name, is: { op: '=' as const, value: name } }]
    const page = await models.using({ group, version, plural }, (current) =>
      store.list(current, { where, limit: maxNames + 1, total: 'bounded' }),
    )
    const isOwn = keyOf(from) === keyOf(model)
    const names = page.items.map((item) => item.name).filter((one) => !(isOwn && one === name))
    const itself = page.items.length - names.length
    const count = Math.min((page.total?.count ?? 0) - itself, maxCount)
    if (count <= 0) continue
    found.push(
      (await may(requestFor(from, 'list')))
        ? { resource: resourceOf(from), path: index.name, count, names: names.slice(0, maxNames) }
        : { hidden: true },
    )
  }
  return found
}

/** Decides by the right to get the object. */
export function mayReferOf(
  models: Pick<ModelRegistry, 'all'>,
  may: (request: ResourceRequest) => Promise<boolean>,
): MayRefer {
  return async (target, name) => {
    const model = models.all().find((one) => keyOf(one) === keyOf(target))
    if (!model) return false
    return may(requestFor(model, 'get', name))
  }
}
