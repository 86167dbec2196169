import { keyOf } from '../../store/model-table.ts'
import type { Store } from '../../store/store.ts'
import type { Model, ModelIndex } from '../model.ts'
import type { Paging } from './paging.ts'
import { queryFault } from './query-parameters.ts'
import { denied, relatedIn, requestFor, resourceOf, type Beside, type RelatedParts } from './related.ts'

/** Objects of a page whose referrers can be counted. */
export const maxCountedSize = 100
/** Referrers of an object are counted to this number. */
export const maxReferrers = 1_000

/** Indexes of a model that refer to the listed one. */
interface Counted {
  readonly from: Model
  readonly index: ModelIndex
}

/** `referrers=<plural>.<group>/<path>`: how many objects of that model refer to each object of the page. */
export async function referrerCountsOf(
  store: Store,
  model: Model,
  { paging, related, isOwned }: { readonly paging: Paging; readonly related: RelatedParts; readonly isOwned: boolean },
): Promise<Beside | undefined> {
  const said = relatedIn(paging, { parameter: 'referrers', limit: maxCountedSize })
  if (said.length === 0) return undefined
  if (isOwned) throw fault('is not served for objects of your own; use the general address of the model')
  const counted: Counted[] = []
  for (const text of said) counted.push(await countedBy(model, text, related))
  return async (items) => {
    const values = items.map(({ name }) => name)
    const entries: [string, object][] = []
    for (const { from, index } of counted) {
      const { group, version, plural } = from
      const wanted = { index: index.name, values, limit: maxReferrers }
      const counts = await related.models.using({ group, version, plural }, (current) =>
        store.countValues(current, wanted),
      )
      entries.push([`${resourceOf(from)}/${index.name}`, Object.fromEntries(counts)])
    }
    return [Buffer.from(`,"referrers":${JSON.stringify(Object.fromEntries(entries))}`)]
  }
}

async function countedBy(model: Model, text: string, related: RelatedParts): Promise<Counted> {
  const [, plural = '', group = '', path = ''] = /^([^./]+)(?:\.([^/]+))?\/(.+)$/.exec(text) ?? []
  if (path === '')
    throw fault(`is "${text}"; write <plural>.<group>/<path>, such as orders.shop.example.com/spec.customer`)
  const from = related.models.all().find((one) => keyOf(one) === keyOf({ group, plural }))
  // First, so that nobody learns which models there are.
  const request = requestFor(from ?? { ...model, group, plural }, 'list')
  if (!(await related.may(request))) {
    throw denied(
      related,
      `referrers=${text} needs the right to list ${resourceOf({ group, plural })}; ask for it, or leave it out`,
    )
  }
  const referring = (from?.indexes ?? []).filter(({ refersTo }) => refersTo && keyOf(refersTo) === keyOf(model))
  const index = referring.find(({ name }) => name === path)
  if (!from || !index) {
    const known = referring.map(({ name }) => name).join(', ')
    const has = known === '' ? 'no field does' : `fields that do are ${known}`
    throw fault(`names "${path}" of ${resourceOf({ group, plural })}, which does not refer to ${model.plural}; ${has}`)
  }
  related.assertServed(from.group)
  return { from, index }
}

function fault(message: string) {
  return queryFault('BadRequest', 'referrers', message)
}
