import type { ApiObject, UnplacedSelectorTerm } from '@pergola/client'
import { roleKeys } from '@pergola/api'
import { User } from '@lucide/vue'
import { hueOfName, hueOfValue } from '../kit/hue.ts'
import { iconOf } from '../kit/icons.ts'
import { valueAt } from '../models/cell-text.ts'
import { schemaOfField } from '../models/columns.ts'
import { pageOf } from '../models/list-addresses.ts'
import { statePathOf, titleIndexOf, titleOfObject } from '../models/display.ts'
import { valueWords } from '../models/format.ts'
import type { ListedModel } from '../models/listed-models.ts'
import type { Schema } from '../models/schema.ts'
import { client } from '../server/client.ts'
import { isRefusal } from '../server/is-refusal.ts'
import type { Hit } from './hit.ts'
import { matching } from './match.ts'
import { nameLike, searchTerms } from './search-terms.ts'

/** Bounds of one search: models, requests in flight and objects per model. */
export const mostModels = 40
const mostAtOnce = 4
const perModel = 5

interface ObjectHit extends Hit {
  readonly name: string
}

export interface FoundObjects {
  readonly groups: readonly { readonly model: ListedModel; readonly hits: readonly ObjectHit[] }[]
  /** More objects match than `groups` contains. */
  readonly hasMore: boolean
}

export interface FindOptions {
  readonly signal: AbortSignal
  readonly schemaOf: (model: ListedModel) => Promise<Schema | undefined>
  readonly known: KnownOfSearch
}

/** What earlier texts of one search have shown, so that a longer text sends fewer requests. */
export interface KnownOfSearch {
  /** The text that found nothing in a model. Searches are by prefix: a longer text finds nothing there either. */
  readonly nothingFor: Map<string, string>
  /** Few objects that are read once and matched here, also by words within their titles. */
  readonly few: Map<string, readonly ApiObject[]>
}

/** Finds objects by the query, grouped by model. Models of plugins come before the host's. */
export async function findObjects(
  models: readonly ListedModel[],
  query: string,
  options: FindOptions,
): Promise<FoundObjects> {
  if (query.trim() === '') return { groups: [], hasMore: false }
  const asked = oneVersionOfEach(models).slice(0, mostModels)
  const found: (readonly ObjectHit[])[] = []
  let next = 0
  const work = async () => {
    for (let at = next++; at < asked.length; at = next++) {
      const model = asked[at]
      if (!model) return
      found[at] = await findIn(model, query, options)
    }
  }
  await Promise.all(Array.from({ length: mostAtOnce }, work))
  const groups = asked.map((model, at) => ({ model, hits: (found[at] ?? []).slice(0, perModel) }))
  return {
    groups: groups.filter(({ hits }) => hits.length > 0),
    hasMore: found.some(({ length }) => length > perModel),
  }
}

/** Requests one object more than is shown, to detect further matches. */
async function findIn(model: ListedModel, query: string, options: FindOptions): Promise<readonly ObjectHit[]> {
  const { signal, schemaOf, known } = options
  const key = `${model.group}/${model.plural}`
  const nothing = known.nothingFor.get(key)
  if (nothing !== undefined && query.startsWith(nothing)) return []
  try {
    const objects = (await fewOf(model, query, options)) ?? (await byPrefix(model, query, signal))
    if (objects.length === 0) known.nothingFor.set(key, query)
    // The tones of states are in the schema, which is read only for models with matches.
    const schema = objects.length > 0 && !model.isOwn ? await schemaOf(model).catch(() => undefined) : undefined
    return objects
      .toSorted((one, other) => exactness(other, query) - exactness(one, query))
      .map((object) => hitOf(model, object, schema))
  } catch (error) {
    // The model or the right may have been removed since the models were listed; the search continues in the others.
    if (isRefusal(error)) return []
    throw error
  }
}

async function byPrefix(model: ListedModel, query: string, signal: AbortSignal): Promise<readonly ApiObject[]> {
  const list = async (fieldSelector: readonly UnplacedSelectorTerm[]) => {
    const asked = { size: perModel + 1, sort: 'metadata.name', fieldSelector }
    return (await client.resource(model).list(asked, { signal })).items
  }
  const hasWords = model.indexes.some(({ name }) => name === 'words')
  const lists = await Promise.all(searchTerms(query, { title: titleIndexOf(model), hasWords }).map(list))
  return [...new Map(lists.flat().map((object) => [object.metadata.uid, object])).values()]
}

const mostFew = 100

/** Matches among the roles or plugins; undefined for other models, and if there are too many. */
async function fewOf(
  model: ListedModel,
  query: string,
  { signal, known }: FindOptions,
): Promise<readonly ApiObject[] | undefined> {
  if (!model.hasPage || isUsers(model)) return undefined
  const key = `${model.group}/${model.plural}`
  const read = known.few.get(key) ?? (await client.resource(model).list({ size: mostFew }, { signal })).items
  known.few.set(key, read)
  if (read.length === mostFew) return undefined
  const titled = read.map((object) => ({ object, title: titleIn(model, object), hint: object.metadata.name }))
  return matching(query, titled)
    .slice(0, perModel + 1)
    .map(({ object }) => object)
}

function exactness({ metadata }: ApiObject, query: string): number {
  return Number(metadata.name === nameLike(query))
}

/** One version of each model, because versions share their objects. Models of plugins come first. */
export function oneVersionOfEach(models: readonly ListedModel[]): readonly ListedModel[] {
  const byPath = new Map(models.toReversed().map((model) => [`${model.group}/${model.plural}`, model]))
  return [...byPath.values()].toReversed().toSorted((one, other) => Number(one.isOwn) - Number(other.isOwn))
}

const usualTitles = ['spec.title', 'spec.displayName']

function titleIn(model: ListedModel, object: ApiObject): string {
  const path = titleIndexOf(model) ?? usualTitles.find((one) => typeof valueAt(object, one) === 'string')
  return object.metadata.annotations?.[roleKeys.displayName] ?? titleOfObject(object, path)
}

function hitOf(model: ListedModel, object: ApiObject, schema: Schema | undefined): ObjectHit {
  const { name, uid } = object.metadata
  const title = titleIn(model, object)
  const statePath = statePathOf(schema)
  const state = statePath === undefined ? undefined : valueAt(object, statePath)
  const field = schemaOfField(statePath ?? '', schema)
  return {
    key: uid,
    name,
    title,
    hint: title === name ? '' : name,
    act: pageOf(model, name),
    tile: model.display?.color ?? hueOfName(model.group),
    ...(isUsers(model) ? { icon: User, isPerson: true } : { icon: iconOf(model.display?.icon) }),
    ...(typeof state === 'string' && {
      pill: { text: valueWords(state), hue: hueOfValue(state, field.enum ?? [], field['x-display']?.tones) },
    }),
  }
}

function isUsers({ group, plural }: ListedModel): boolean {
  return group === '' && plural === 'users'
}
