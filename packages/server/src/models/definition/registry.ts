import { ApiError, nearest } from '@pergola/api'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckedCache } from '../../base/checked-cache.ts'
import { allObjects } from '../../store/all-objects.ts'
import { keyOf } from '../../store/model-table.ts'
import { StaleModel } from '../../store/stale-model.ts'
import type { ModelKey, Store, StoredObject } from '../../store/store.ts'
import type { SchemaCompiler } from '../../validation/schema-compiler.ts'
import { createValidatorCache, type ValidatorCache } from '../../validation/validator-cache.ts'
import { definitionKey, specOf, statusOf } from './definition-model.ts'
import { definitionOf, type ModelDefinition } from './definition.ts'
import { modelObjectName } from './model-object-name.ts'
import type { Evaluation, EvaluationRequest } from './evaluation.ts'
import { createModel, declarationOf, type Model } from '../model.ts'
import { fromData } from '../object-bytes.ts'

/** Attempts when a declaration changes between reading and using it. */
const maxTries = 5
const retryMs = 50

/** All models: the built-in ones and those defined by objects of the resource `models`. */
export interface ModelRegistry {
  /** Serves the built-in models, and reads all definitions. */
  start(parts: RegistryStart): Promise<void>
  /** Reads all definitions again. */
  load(): Promise<void>
  /** Finds a model, in the database if necessary; throws `ModelNotFound`. */
  find(address: ModelAddress): Promise<Model>
  /** Runs `work` with the current definition, and again when the definition changed meanwhile. */
  using<T>(address: ModelAddress, work: (model: Model) => Promise<T>): Promise<T>
  /** Reads the current definition of a model, or that it has none. */
  readonly refresh: (key: ModelKey) => Promise<void>
  /** Sorted by group and plural, for discovery. */
  readonly all: () => readonly Model[]
  readonly cache: CheckedCache
}

interface ModelAddress extends ModelKey {
  readonly version: string
}

export interface RegistryParts {
  readonly store: Store
  readonly compiler: SchemaCompiler
}

export interface RegistryStart {
  /** The models of the host itself. Their tables are open. */
  readonly builtIn: readonly Model[]
  /** Asks the plugin that declares a model. */
  readonly evaluate: (definition: ModelDefinition, request: EvaluationRequest) => Promise<Evaluation>
  /** Asks the plugin that declares the upcoming definition; throws `StaleModel` when that definition was abandoned. */
  readonly evaluateNext: (definition: ModelDefinition, request: EvaluationRequest) => Promise<Evaluation>
  /** Called when a model has been opened, once per edition. */
  readonly onOpen: (model: Model) => void
}

interface Entry {
  readonly model: Model
  readonly isBuiltIn?: boolean
  opened?: Promise<void>
}

export function createModelRegistry(parts: RegistryParts): ModelRegistry {
  const { store } = parts
  const entries = new Map<string, Entry>()
  const validators = createValidatorCache(parts.compiler)
  const started = Promise.withResolvers<RegistryStart>()

  const keep = (stored: StoredObject): Entry => {
    const model = declaredModel(started.promise, validators, stored)
    const known = entries.get(keyOf(model))
    if (known && known.model.edition >= model.edition) return known
    const entry = { model }
    entries.set(keyOf(model), entry)
    return entry
  }
  const read = async (key: ModelKey): Promise<Entry | undefined> => {
    const known = entries.get(keyOf(key))
    if (known?.isBuiltIn) return known
    const stored = await store.get(definitionKey, modelObjectName(key))
    if (stored) return keep(stored)
    entries.delete(keyOf(key))
    return undefined
  }
  // Writes read these models, and guard their objects. Not by `open`, because models may refer to each other.
  const openTargets = async (model: Model) => {
    for (const key of targetsIn(model)) {
      const target = entries.get(keyOf(key)) ?? (await read(key))
      if (target && !target.isBuiltIn) await store.openModel(declarationOf(target.model))
    }
  }
  const open = (entry: Entry): Promise<void> => {
    if (entry.opened) return entry.opened
    const opened = openTargets(entry.model).then(() => openModel(store, entry.model, started.promise))
    // After a failure, the next caller tries again.
    opened.catch(() => delete entry.opened)
    entry.opened = opened
    return opened
  }
  const find = async (address: ModelAddress): Promise<Entry> => {
    const entry = entries.get(keyOf(address)) ?? (await read(address))
    if (entry?.model.version === address.version) return entry
    throw modelNotFound(address, [...entries.values()])
  }
  // The definition is already committed. If it keeps changing during all attempts, the next caller opens it.
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
  const declared = () => new Map([...entries].filter(([, { isBuiltIn }]) => !isBuiltIn))
  const load = async () => {
    const gone = new Set(declared().keys())
    for await (const stored of allObjects(store, definitionKey)) gone.delete(keyOf(keep(stored).model))
    for (const key of gone) entries.delete(key)
  }
  return {
    start: async (late) => {
      for (const model of late.builtIn) {
        entries.set(keyOf(model), { model, isBuiltIn: true, opened: Promise.resolve() })
      }
      started.resolve(late)
      await load()
    },
    load,
    cache: {
      name: 'models',
      differences: () => differencesOf(store, declared()),
      repair: async () => {
        for (const key of declared().keys()) entries.delete(key)
        await load()
      },
    },
    find: async (address) => (await find(address)).model,
    using: (address, work) => useCurrent({ find, open, read }, address, work),
    refresh,
    all: () => [...entries.values()].map(({ model }) => model).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
  }
}

interface EntryWays {
  readonly find: (address: ModelAddress) => Promise<Entry>
  readonly open: (entry: Entry) => Promise<void>
  readonly read: (key: ModelKey) => Promise<Entry | undefined>
}

async function useCurrent<T>(
  { find, open, read }: EntryWays,
  address: ModelAddress,
  work: (model: Model) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const entry = await find(address)
    try {
      await open(entry)
      return await work(entry.model)
    } catch (error) {
      if (!(error instanceof StaleModel)) throw error
      if (tries === maxTries) throw beingChanged(address, error)
      if (tries > 1) await sleep(retryMs)
      await read(address)
    }
  }
}

function targetsIn(model: Model): readonly ModelKey[] {
  const targets = model.indexes.flatMap(({ refersTo }) => (refersTo ? [refersTo] : []))
  return targets.filter((target) => keyOf(target) !== keyOf(model))
}

async function openModel(store: Store, model: Model, started: Promise<Pick<RegistryStart, 'onOpen'>>): Promise<void> {
  await store.openModel(declarationOf(model))
  const { onOpen } = await started
  onOpen(model)
}

function modelNotFound({ group, version, plural }: ModelAddress, known: readonly Entry[]): ApiError {
  const apiVersion = group === '' ? version : `${group}/${version}`
  const others = known.flatMap(({ model }) =>
    model.group === group && model.version === version ? [model.plural] : [],
  )
  const meant = nearest(plural, others)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  return new ApiError('ModelNotFound', `there is no model "${plural}" in ${apiVersion}${hint}`, {
    params: { plural, apiVersion, ...(meant !== undefined && { nearest: meant }) },
  })
}

function beingChanged({ plural }: ModelAddress, cause: StaleModel): ApiError {
  const headers = { 'retry-after': '1' }
  return new ApiError('Unavailable', `the model ${plural} is being changed; try again`, { headers, cause })
}

async function differencesOf(store: Store, declared: ReadonlyMap<string, Entry>): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const gone = new Set(declared.keys())
  for await (const { data } of allObjects(store, definitionKey)) {
    const object = fromData(data)
    const key = keyOf(definitionOf(specOf(object)))
    const { edition } = statusOf(object)
    if (declared.get(key)?.model.edition !== edition) found.add(`${key} ${edition}`)
    gone.delete(key)
  }
  return new Set([...found, ...gone])
}

function declaredModel(
  started: Promise<Pick<RegistryStart, 'evaluate' | 'evaluateNext'>>,
  validators: ValidatorCache,
  stored: StoredObject,
): Model {
  const object = fromData(stored.data)
  const definition = definitionOf(specOf(object))
  return createModel(definition, {
    edition: statusOf(object).edition,
    validator: validators.of(definition.schema),
    evaluate: async (request) => (await started).evaluate(definition, request),
    evaluateNext: async (request) => (await started).evaluateNext(definition, request),
  })
}
