import { ApiError, isApiError, type ApiObject } from '@pergola/api'
import type { Draft, NewObject } from '../object-types.ts'
import type { PartQuery } from '../query.ts'
import type { Resource } from '../resource.ts'
import type { CollectionOptions, Whole } from './collection-options.ts'
import type { ChangeStatus, Collection, Listing, RelatedOptions } from './collection.ts'
import { createLive, type LooseLiveOptions } from './live.ts'
import { relatedOf, relatedQuery } from './related.ts'
import { selectionOf, sortOf, type LooseListOptions } from './selection.ts'
import type { ModelTypes, Served } from './served.ts'

/** Implements a collection with the requests of a resource, completing every object by `whole`. */
export function createCollection<Types extends ModelTypes>(
  resource: Resource<Types['object']>,
  { singular, references }: Pick<Served<Types>, 'singular' | 'references'>,
  { whole = (object) => object, signal }: CollectionOptions<Types['object']> = {},
): Collection<Types> {
  return {
    get: (async (name: string, part?: PartQuery) =>
      part ? await resource.get(name, part) : whole(await resource.get(name))) as Collection<Types>['get'],
    getMany: (names) => getMany(resource, names, whole),
    // Defaults belong to whole objects only.
    list: ((options: LooseOptions = {}) => {
      const each: Whole<Types['object']> = options.fields ? (object) => object : whole
      return listingOf(resource, options, { references, whole: each })
    }) as Collection<Types>['list'],
    create: async (spec, metadata = {}) => {
      const isNamed = metadata.name !== undefined || metadata.generateName !== undefined
      const named = isNamed ? metadata : { ...metadata, generateName: `${singular}-` }
      return whole(await resource.create({ metadata: named, spec } as unknown as NewObject<Types['object']>))
    },
    update: async (name, change) =>
      whole(
        await resource.modify(name, async (object) => {
          whole(object as Types['object'])
          await change(object)
        }),
      ),
    replace: async (object) => whole(await resource.update(object)),
    patch: async (name, patch) => whole(await resource.patch(name, patch)),
    updateStatus: async (of: string | Types['object'], status: Types['status'] | ChangeStatus<Types>) => {
      if (typeof of !== 'string') return whole(await resource.updateStatus({ ...of, status }))
      const change = async (object: Draft<Types['object']>) => {
        const present: Types['object'] & { status?: Types['status'] } = whole(object as Types['object'])
        present.status = await (status as ChangeStatus<Types>)(present.status, present)
      }
      return whole(await resource.modify(of, change, { part: 'status' }))
    },
    delete: async (name) => whole(await resource.delete(name)),
    watch: async function* ({ revision, initial, signal: own, ...options } = {}) {
      const selection = selectionOf(options)
      if (!selection) throw new ApiError('BadRequest', '{ in: [] } matches no object; there is nothing to watch')
      const either = own && signal ? AbortSignal.any([own, signal]) : (own ?? signal)
      for await (const event of resource.watch({ ...selection, revision, initial, signal: either })) {
        yield 'object' in event ? { ...event, object: whole(event.object) } : event
      }
    },
    live: (options = {}) => createLive(resource, options as LooseLiveOptions, { whole, signal }),
  }
}

/** Concurrent requests of `getMany`. */
const lanes = 8

async function getMany<Stored extends ApiObject>(
  resource: Resource<Stored>,
  names: readonly string[],
  whole: Whole<Stored>,
): Promise<readonly (Stored | undefined)[]> {
  const found = new Map<string, Stored>()
  const left = new Set(names).values()
  const lane = async () => {
    for (const name of left) {
      try {
        found.set(name, whole(await resource.get(name)))
      } catch (error) {
        if (!isApiError(error) || error.reason !== 'NotFound') throw error
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return names.map((name) => found.get(name))
}

const none = { items: [], total: 0, totalIsEstimate: false, hasNext: false, ...relatedOf({}) }

type LooseOptions = LooseListOptions & RelatedOptions & Partial<PartQuery>

interface ListingParts<Stored> {
  readonly references: Served<never>['references']
  readonly whole: Whole<Stored>
}

function listingOf<Stored extends ApiObject>(
  resource: Resource<Stored>,
  options: LooseOptions,
  { references, whole }: ListingParts<Stored>,
): Listing<Stored> {
  const selection = selectionOf(options)
  const query = { ...selection, ...sortOf(options), fields: options.fields }
  const each = async function* (): AsyncGenerator<Stored, void, undefined> {
    if (!selection) return
    for await (const object of resource.listAll(query)) yield whole(object)
  }
  return {
    [Symbol.asyncIterator]: each,
    all: async () => {
      const objects: Stored[] = []
      for await (const object of each()) objects.push(object)
      return objects
    },
    first: async () => {
      const [object] = selection ? (await resource.list({ ...query, size: 1 })).items : []
      return object && whole(object)
    },
    total: async () => (selection ? (await resource.list({ ...selection, size: 1, exactTotal: true })).total : 0),
    page: async (page, size) => {
      if (!selection) return none
      const found = await resource.list({ ...query, ...relatedQuery(options), page, size })
      const { items, total, totalIsEstimate, hasNext } = found
      return { items: items.map(whole), total, totalIsEstimate, hasNext, ...relatedOf(found, references) }
    },
  }
}
