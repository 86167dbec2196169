import { ApiError } from '@pergola/api'
import { keyOf } from '../../store/model-table.ts'
import type { ModelKey, Store, StoredObject } from '../../store/store.ts'
import type { Model, ModelIndex } from '../model.ts'
import { fromData, headOf, shownData } from '../object-bytes.ts'
import type { Paging } from './paging.ts'
import { queryFault } from './query-parameters.ts'
import { denied, relatedIn, requestFor, resourceOf, type Beside, type RelatedParts } from './related.ts'

/** Objects of a page whose references can be expanded. */
export const maxExpandedSize = 500
/** Objects that a page expands, of all models together. */
export const maxTargets = 1_000
/** Their data, apart from the last object. */
export const maxExpandedBytes = 8 * 1024 * 1024

/** A model that is referred to, and the indexes that do. */
interface Wanted {
  readonly target: Model
  readonly indexes: readonly ModelIndex[]
  /** Whether the caller may get every object. */
  readonly isEvery: boolean
}

/**
 * `expand=<path>`: the objects that the page refers to. Those that the caller may not get are absent, like missing ones. They
 * are shown as in a list of their model, so never with sealed fields.
 */
export async function expansionOf(
  store: Store,
  model: Model,
  { paging, related }: { readonly paging: Paging; readonly related: RelatedParts },
): Promise<Beside | undefined> {
  const paths = relatedIn(paging, { parameter: 'expand', limit: maxExpandedSize })
  if (paths.length === 0) return undefined
  const wanted = await wantedBy(model, paths, related)
  return async (items) => {
    const { names, isAll } = namesIn(items, wanted)
    const members: Buffer[] = []
    let isPartial = !isAll
    let bytesLeft = maxExpandedBytes
    for (const [at, { target, isEvery }] of wanted.entries()) {
      const known = isEvery ? names[at] : await knownOf([...(names[at] ?? [])], target, related)
      const found = await read({ store, related }, target, { names: [...(known ?? [])], bytesLeft })
      bytesLeft -= found.items.reduce((sum, { data }) => sum + data.length, 0)
      isPartial ||= found.isPartial
      const objects = found.items.flatMap((stored, place) => [
        Buffer.from(`${place === 0 ? '' : ','}"${stored.name}":${headOf(target, stored)}`),
        shownData(target, stored),
      ])
      members.push(Buffer.from(`${at === 0 ? '' : ','}"${resourceOf(target)}":{`), ...objects, Buffer.from('}'))
    }
    return [Buffer.from(',"expanded":{'), ...members, Buffer.from(isPartial ? '},"expandedIsPartial":true' : '}')]
  }
}

async function wantedBy(model: Model, paths: readonly string[], related: RelatedParts): Promise<readonly Wanted[]> {
  const references = model.indexes.filter((index) => index.refersTo !== undefined)
  const unknown = paths.find((path) => !references.some((index) => index.name === path))
  if (unknown !== undefined) {
    const known = references.map(({ name }) => name).join(', ')
    const has = known === '' ? `${model.plural} have none` : `references are ${known}`
    throw queryFault('BadRequest', 'expand', `names "${unknown}", which is not a reference of ${model.plural}; ${has}`)
  }
  const named = references.filter(({ name }) => paths.includes(name))
  const byTarget = Map.groupBy(named, ({ refersTo }) => keyOf(refersTo ?? model))
  return Promise.all(
    [...byTarget].map(async ([key, indexes]) => {
      const target = related.models.all().find((one) => keyOf(one) === key)
      if (!target) throw new ApiError('Unavailable', `the model ${key} is being changed; try again`)
      const request = requestFor(target, 'get')
      const isEvery = await related.may(request)
      if (!isEvery && !(await related.maySome(request))) {
        const path = indexes.map(({ name }) => name).join(', ')
        throw denied(
          related,
          `expand=${path} needs the right to get ${resourceOf(target)}; ask for it, or leave it out`,
        )
      }
      related.assertServed(target.group)
      return { target, indexes, isEvery }
    }),
  )
}

/** The names that the objects have as values, for each model; at most `maxTargets` in all. */
function namesIn(items: readonly StoredObject[], wanted: readonly Wanted[]) {
  const names = wanted.map(() => new Set<string>())
  let left = maxTargets
  for (const { data } of items) {
    const object = fromData(data)
    for (const [at, { indexes }] of wanted.entries()) {
      for (const { value } of indexes.flatMap((index) => index.valuesOf(object))) {
        if (typeof value !== 'string' || names[at]?.has(value)) continue
        if (left === 0) return { names, isAll: false }
        names[at]?.add(value)
        left--
      }
    }
  }
  return { names, isAll: true }
}

/** Decided from rules before the database is asked. */
async function knownOf(names: readonly string[], target: Model, { may }: RelatedParts): Promise<readonly string[]> {
  const allowed = await Promise.all(names.map((name) => may(requestFor(target, 'get', name))))
  return names.filter((_, at) => allowed[at])
}

interface Reading {
  readonly names: readonly string[]
  readonly bytesLeft: number
}

async function read(
  { store, related }: { readonly store: Store; readonly related: RelatedParts },
  { group, version, plural }: ModelKey & { readonly version: string },
  { names, bytesLeft }: Reading,
) {
  if (names.length === 0) return { items: [], isPartial: false }
  return related.models.using({ group, version, plural }, (current) => store.getMany(current, names, bytesLeft))
}
