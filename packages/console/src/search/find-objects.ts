import type { ApiObject } from '@pergola/client'
import { roleKeys } from '@pergola/api'
import type { RouteLocationRaw } from 'vue-router'
import { valueAt } from '../models/cell-text.ts'
import type { ListedModel } from '../models/listed-models.ts'
import { client } from '../server/client.ts'
import { isRefusal } from '../server/is-refusal.ts'
import type { Hit } from './hit.ts'

/** One request a model: the number of models, of requests in flight and of objects read is bounded. */
export const mostModels = 40
const mostAtOnce = 4
const perModel = 5

export interface FoundObjects {
  readonly hits: readonly Hit[]
  /** Others match, too. */
  readonly hasMore: boolean
}

/** Objects whose name begins with the query, model by model. Models of plugins come before the host's own. */
export async function findObjects(
  models: readonly ListedModel[],
  query: string,
  signal: AbortSignal,
): Promise<FoundObjects> {
  const value = nameLike(query)
  if (value === '') return { hits: [], hasMore: false }
  const asked = oneVersionOfEach(models).slice(0, mostModels)
  const found: (readonly Hit[])[] = []
  let next = 0
  const work = async () => {
    for (let at = next++; at < asked.length; at = next++) {
      const model = asked[at]
      if (!model) return
      found[at] = await findIn(model, value, signal)
    }
  }
  await Promise.all(Array.from({ length: mostAtOnce }, work))
  return {
    hits: found.flatMap((hits) => hits.slice(0, perModel)),
    hasMore: found.some(({ length }) => length > perModel),
  }
}

/** One more than are shown, if there are so many. */
async function findIn(model: ListedModel, value: string, signal: AbortSignal): Promise<readonly Hit[]> {
  const fieldSelector = [{ key: 'metadata.name', op: 'prefix' as const, value }]
  try {
    const query = { size: perModel + 1, sort: 'metadata.name', fieldSelector }
    const { items } = await client.resource(model).list(query, { signal })
    return items.map((object) => hitOf(model, object))
  } catch (error) {
    // The model or the right may have gone since the models were listed; the others are still searched.
    if (isRefusal(error)) return []
    throw error
  }
}

/** Without further versions of the same model, which have the same objects. Models of plugins come first. */
export function oneVersionOfEach(models: readonly ListedModel[]): readonly ListedModel[] {
  const byPath = new Map(models.toReversed().map((model) => [`${model.group}/${model.plural}`, model]))
  return [...byPath.values()].toReversed().toSorted((one, other) => Number(one.isOwn) - Number(other.isOwn))
}

/** Names have neither spaces nor capitals: `Water the pl` finds `water-the-plants`. */
export function nameLike(query: string): string {
  return query.trim().toLowerCase().replaceAll(/\s+/g, '-')
}

function hitOf(model: ListedModel, object: ApiObject): Hit {
  const { name, uid, annotations } = object.metadata
  const called =
    valueAt(object, 'spec.title') ?? valueAt(object, 'spec.displayName') ?? annotations?.[roleKeys.displayName]
  const hint = typeof called === 'string' && called !== name ? `${called} · ${model.kind}` : model.kind
  return { key: uid, title: name, hint, act: pageOf(model, name) }
}

/** Users, roles and plugins have pages of their own. */
function pageOf({ group, version, plural, singular, hasPage }: ListedModel, name: string): RouteLocationRaw {
  if (hasPage) return { name: singular, params: { name } }
  return { name: 'object', params: { group: group || '-', version, plural, name } }
}
