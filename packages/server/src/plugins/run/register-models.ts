import { setTimeout as sleep } from 'node:timers/promises'
import { isApiError, schemaReferences, usersTarget, type ModelDeclaration } from '@pergola/api'
import { deepEqual } from '../../base/deep-equal.ts'
import { createObject, type WriteParts } from '../../models/verbs/create.ts'
import { specOf, statusOf, type ModelStatus } from '../../models/definition/definition-model.ts'
import { declarerOf } from '../../models/definition/declarer.ts'
import { modelObjectName } from '../../models/definition/model-object-name.ts'
import type { Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import { updateObject } from '../../models/verbs/update.ts'
import { keyOf } from '../../store/model-table.ts'
import { nextIndexName, type IndexBuild, type ModelKey, type StoredObject } from '../../store/store.ts'
import { NotStarted, PluginFailed } from './not-started.ts'

const lookMs = 100
const againEvery = 20
const repairMs = 1_000

export interface RegisterParts extends DeclareParts {
  /** Opens the model here, if it is declared. */
  readonly open: (model: ModelKey) => Promise<void>
  /** Starts to build missing indexes, unless a build is running. */
  readonly build: (model: ModelKey) => void
}

export interface DeclareParts extends WriteParts {
  readonly definitions: Model
}

/**
 * Declares the models of a plugin; skips identical definitions. Checks all before declaring the first; throws
 * `PluginFailed` for the first invalid model.
 */
export async function registerModels(
  parts: DeclareParts,
  plugin: string,
  models: readonly ModelDeclaration[],
): Promise<void> {
  await checkModels(parts, plugin, models)
  for (const spec of targetsFirst(models)) await registerModel(parts, spec, { declaredBy: plugin, dryRun: false })
}

/** Each model after those of the same package that it refers to. */
function targetsFirst(models: readonly ModelDeclaration[]): readonly ModelDeclaration[] {
  const sorted: ModelDeclaration[] = []
  for (let left = [...models]; left.length > 0;) {
    const keys = new Set(left.map(keyOf))
    const isFree = (model: ModelDeclaration) =>
      targetsOf(model).every((target) => keyOf(target) === keyOf(model) || !keys.has(keyOf(target)))
    const free = left.filter(isFree)
    if (free.length === 0) {
      const names = left.map(({ plural }) => plural).join(', ')
      throw new PluginFailed(`its models ${names} refer to each other in a circle; remove one of the references`)
    }
    sorted.push(...free)
    left = left.filter((model) => !free.includes(model))
  }
  return sorted
}

function targetsOf({ versions: [version] }: ModelDeclaration): readonly ModelKey[] {
  return version ? schemaReferences(version.schema).map(({ target }) => target) : []
}

/** A reference needs a model of the package, of another plugin, or users. */
async function checkTargets(
  { store, definitions }: DeclareParts,
  model: ModelDeclaration,
  models: readonly ModelDeclaration[],
): Promise<void> {
  const known = new Set([...models, usersTarget].map(keyOf))
  for (const target of targetsOf(model)) {
    if (known.has(keyOf(target)) || (await store.get(definitions, modelObjectName(target)))) continue
    const cure = 'add it to the models of the package, or its plugin to the dependencies'
    throw new PluginFailed(
      `its model ${model.plural} of ${model.group} refers to ${target.plural} of ${target.group}, which does not exist; ${cure}`,
    )
  }
}

/** Throws `PluginFailed` for the first model that is invalid or cannot replace the existing one. */
export async function checkModels(
  parts: DeclareParts,
  plugin: string,
  models: readonly ModelDeclaration[],
): Promise<void> {
  targetsFirst(models)
  for (const spec of models) {
    await checkTargets(parts, spec, models)
    try {
      await registerModel(parts, spec, { declaredBy: plugin, dryRun: true })
    } catch (error) {
      // An invalid model would be invalid at the next start, too.
      if (isApiError(error) && error.reason === 'Invalid') {
        throw new PluginFailed(`its model ${spec.plural} of ${spec.group}: ${error.message}`)
      }
      throw error
    }
  }
}

interface Registration {
  readonly declaredBy: string
  readonly dryRun: boolean
}

async function registerModel(parts: DeclareParts, spec: ModelDeclaration, how: Registration): Promise<void> {
  const { store, definitions } = parts
  const name = modelObjectName(spec)
  const stored = await store.get(definitions, name)
  if (!stored) await createObject(parts, definitions, { body: { metadata: { name }, spec }, ...how })
  else if (!deepEqual(declaredSpec(stored), spec) || declarerOf(fromData(stored.data)) !== how.declaredBy) {
    const bodyFor = () => ({ metadata: {}, spec })
    await updateObject(parts, definitions, { name, bodyFor, ...how })
  }
}

/** The current definition, without the next one. */
export function declaredSpec(stored: StoredObject): unknown {
  const { next: _, ...spec } = specOf(fromData(stored.data))
  return spec
}

/** Whether the models are declared exactly so, and every index is built. */
export async function areReady(
  { store, definitions, open }: RegisterParts,
  models: readonly ModelDeclaration[],
): Promise<boolean> {
  for (const spec of models) {
    const stored = await store.get(definitions, modelObjectName(spec))
    if (!stored || !deepEqual(declaredSpec(stored), spec)) return false
    await open(spec)
    if (await store.indexBuild(spec)) return false
  }
  return true
}

interface BuildWait {
  readonly signal: AbortSignal
  /** Throws to end the wait. */
  readonly assertWanted?: () => Promise<void>
  readonly onProgress: (progress: string) => void
  /** Called while duplicate values keep a unique index from being built; without it, the wait throws `NotStarted`. */
  readonly onDuplicates?: (message: string) => void
}

/** Resolves when every index of the declared models is built; reports the progress meanwhile. */
export async function untilBuilt(
  parts: RegisterParts,
  models: readonly ModelDeclaration[],
  { signal, assertWanted, onProgress, onDuplicates }: BuildWait,
): Promise<void> {
  const { store, definitions, build, open } = parts
  for (const model of models) {
    for (let looks = 0; ; looks++) {
      signal.throwIfAborted()
      await assertWanted?.()
      const declared = await store.get(definitions, modelObjectName(model))
      if (!declared) break
      await open(model)
      const progress = await store.indexBuild(model)
      if (!progress) break
      const status = statusOf(fromData(declared.data))
      if (status.phase === 'DuplicateValues' && looks > 0) {
        const words = duplicateWords(model, status)
        if (!onDuplicates) throw new NotStarted('DuplicateValues', words)
        onDuplicates(words)
        await untilRepaired(parts, model, { status, signal })
        looks = 0
      }
      // The builder may have stopped with the plugin that evaluates its objects.
      if (looks % againEvery === 0) build(model)
      onProgress(progressWords(progress, status))
      await sleep(lookMs, undefined, { signal })
    }
  }
}

/** Whether duplicate values keep an index of these models from being built. */
export async function haveDuplicates(
  { store, definitions }: DeclareParts,
  models: readonly ModelDeclaration[],
): Promise<boolean> {
  for (const model of models) {
    const declared = await store.get(definitions, modelObjectName(model))
    if (declared && statusOf(fromData(declared.data)).phase === 'DuplicateValues') return true
  }
  return false
}

/**
 * Resolves when an object of the first pair was changed or deleted, or another build has begun. A build reads every object, so
 * it is not retried without a change.
 */
async function untilRepaired(
  { store, definitions }: DeclareParts,
  model: ModelDeclaration,
  { status, signal }: { readonly status: ModelStatus; readonly signal: AbortSignal },
): Promise<void> {
  const [pair] = status.duplicates?.pairs ?? []
  const versions = async () => {
    const objects = [pair?.first, pair?.second].map((name = '') => store.get(model, name))
    const read = await Promise.all([store.get(definitions, modelObjectName(model)), ...objects])
    return read.map((object) => object?.version).join()
  }
  const before = await versions()
  while ((await versions()) === before) await sleep(repairMs, undefined, { signal })
}

function progressWords({ done, total }: IndexBuild, { message }: ModelStatus): string {
  const percent = total === 0 ? 0 : Math.floor((done / total) * 100)
  return [`${percent} % of its indexes are built`, ...(message === undefined ? [] : [message])].join('; ')
}

function duplicateWords({ plural }: ModelDeclaration, { duplicates }: ModelStatus): string {
  const { index = '', pairs = [] } = duplicates ?? {}
  const lines = pairs.map(({ value, first, second }) => `${JSON.stringify(value)}: ${first}, ${second}`)
  const isNext = index.startsWith(nextIndexName(''))
  const name = isNext ? index.slice(nextIndexName('').length) : index
  const cure = `change or delete one of each${isNext ? ', and upgrade again' : '; the plugin then starts'}`
  return `${plural} have duplicate values of ${name}, which must be unique; ${cure}: ${lines.join('; ')}`
}
