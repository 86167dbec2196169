import { ApiError } from '@pergola/api'
import { setTimeout as sleep } from 'node:timers/promises'
import { StaleModel } from '../store/stale-model.ts'
import type { Cursor, ModelKey, Store, StoredObject } from '../store/store.ts'
import type { SchemaCompiler } from '../validation/schema-compiler.ts'
import { createValidatorCache, type ValidatorCache } from '../validation/validator-cache.ts'
import { specOf, statusOf } from './definition/definition-model.ts'
import { definitionOf } from './definition/definition.ts'
import { modelObjectName } from './definition/model-object-name.ts'
import { createModel, declarationOf, type Model } from './model.ts'
import { fromData } from './object-bytes.ts'

/** A declaration can change between reading and using it this often. */
const maxTries = 5
const retryMs = 50
const pageSize = 200

/** The models that there are: the host's own, and those declared as objects of the resource `models`. */
export interface ModelRegistry {
  /** Reads all declarations that there are. */
  load(): Promise<void>
  /** Throws `ModelNotFound`; looks into the database before. */
  find(address: ModelAddress): Promise<Model>
  /** Does what needs a model by the declaration that holds, again when another one has come to hold meanwhile. */
  using<T>(address: ModelAddress, work: (model: Model) => Promise<T>): Promise<T>
  /** Takes up the declaration that holds now, or that there is none. */
  refresh(key: ModelKey): Promise<void>
  /** For discovery, sorted by group and plural. */
  all(): readonly Model[]
}

interface ModelAddress extends ModelKey {
  readonly version: string
}

export interface RegistryParts {
  readonly store: Store
  readonly compiler: SchemaCompiler
  readonly builtIn: readonly Model[]
  /** Where declarations are. */
  readonly definitions: Model
  /** Told of a model that has been opened, once for each edition. */
  readonly onOpen: (model: Model) => void
}

interface Entry {
  readonly model: Model
  opened?: Promise<void>
}

const keyOf = ({ group, plural }: ModelKey) => `${group}/${plural}`

export function createModelRegistry(parts: RegistryParts): ModelRegistry {
  const { store, definitions, builtIn, onOpen } = parts
  const entries = new Map<string, Entry>()
  const validators = createValidatorCache(parts.compiler)
  for (const model of [definitions, ...builtIn]) entries.set(keyOf(model), { model, opened: Promise.resolve() })

  const keep = (stored: StoredObject): Entry => {
    const model = declaredModel(validators, stored)
    const known = entries.get(keyOf(model))
    if (known && known.model.edition >= model.edition) return known
    const entry = { model }
    entries.set(keyOf(model), entry)
    return entry
  }
  const isBuiltIn = (key: ModelKey) => [definitions, ...builtIn].some((model) => keyOf(model) === keyOf(key))
  const read = async (key: ModelKey): Promise<Entry | undefined> => {
    if (isBuiltIn(key)) return entries.get(keyOf(key))
    const stored = await store.get(definitions, modelObjectName(key))
    if (stored) return keep(stored)
    entries.delete(keyOf(key))
    return undefined
  }
  const open = (entry: Entry): Promise<void> => {
    if (entry.opened) return entry.opened
    const opened = store.openModel(declarationOf(entry.model)).then(() => onOpen(entry.model))
    // What failed is tried again by the next who asks.
    opened.catch(() => delete entry.opened)
    entry.opened = opened
    return opened
  }
  const find = async (address: ModelAddress): Promise<Entry> => {
    const entry = entries.get(keyOf(address)) ?? (await read(address))
    if (entry?.model.version === address.version) return entry
    const apiVersion = address.group === '' ? address.version : `${address.group}/${address.version}`
    throw new ApiError('ModelNotFound', `there is no model "${address.plural}" in ${apiVersion}`)
  }
  // What was declared is committed by now: should others be changing it all the while, whoever needs it opens it.
  const refresh = async (key: ModelKey) => {
    for (let tries = 1; tries <= maxTries; tries++) {
      const entry = await read(key)
      if (!entry) return
      try {
        return await open(entry)
      } catch (error) {
        if (!(error instanceof StaleModel)) throw error
      }
    }
  }
  return {
    load: async () => {
      const gone = new Set(entries.keys())
      for (const model of [definitions, ...builtIn]) gone.delete(keyOf(model))
      for await (const stored of allDeclarations(parts)) gone.delete(keyOf(keep(stored).model))
      for (const key of gone) entries.delete(key)
    },
    find: async (address) => (await find(address)).model,
    using: async (address, work) => {
      for (let tries = 1; ; tries++) {
        const entry = await find(address)
        try {
          await open(entry)
          return await work(entry.model)
        } catch (error) {
          if (!(error instanceof StaleModel)) throw error
          if (tries === maxTries) {
            throw new ApiError('Unavailable', `the model ${address.plural} is being changed; try again`, {
              headers: { 'retry-after': '1' },
              cause: error,
            })
          }
          if (tries > 1) await sleep(retryMs)
          await read(address)
        }
      }
    },
    refresh,
    all: () => [...entries.values()].map(({ model }) => model).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
  }
}

async function* allDeclarations({ store, definitions }: RegistryParts): AsyncGenerator<StoredObject> {
  for (let after: Cursor | undefined; ;) {
    const page = await store.list(definitions, {
      limit: pageSize,
      total: 'none',
      ...(after !== undefined && { after }),
    })
    yield* page.items
    after = page.next
    if (after === undefined) return
  }
}

function declaredModel(validators: ValidatorCache, stored: StoredObject): Model {
  const object = fromData(stored.data)
  const definition = definitionOf(specOf(object))
  return createModel(definition, { edition: statusOf(object).edition, validator: validators.of(definition.schema) })
}
