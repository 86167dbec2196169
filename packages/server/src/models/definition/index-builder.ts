import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../base/log.ts'
import { deepEqual } from '../../base/deep-equal.ts'
import { DuplicateValues } from '../../store/index-build.ts'
import { valueOfKey } from '../../store/index-key.ts'
import { keyOf } from '../../store/model-table.ts'
import { retryRaces } from '../../store/retry-races.ts'
import { StaleModel } from '../../store/stale-model.ts'
import type { IndexBuild, IndexedValues, Store } from '../../store/store.ts'
import { statusOf, type ModelStatus, type ReferenceStatus } from './definition-model.ts'
import { modelObjectName } from './model-object-name.ts'
import { evaluated } from './evaluated.ts'
import { evaluationFault } from './evaluation.ts'
import { indexedObject } from '../indexed-object.ts'
import { named, type JsonObject } from '../object.ts'
import type { Model } from '../model.ts'
import { fromData } from '../object-bytes.ts'
import { writeStatus } from '../verbs/write-status.ts'

/** How often the progress of a build is reported in the status. */
const reportMs = 1_000

/** Builds new indexes of models in the background and keeps the status of their definitions. */
export interface IndexBuilder extends AsyncDisposable {
  /** Does nothing when there is nothing to build or a build is running. */
  start(model: Model): void
}

export interface IndexBuilderParts {
  readonly store: Store
  readonly definitions: Model
  readonly log: Log
}

type Failures = Map<string, string>

interface BuildParts extends IndexBuilderParts {
  readonly failures: Failures
}

export function createIndexBuilder(parts: IndexBuilderParts): IndexBuilder {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  /** Why the last build of a model failed, until one succeeds. */
  const failures: Failures = new Map()
  return {
    start: (model) => {
      const build = buildIfNeeded({ ...parts, failures }, model, stopping.signal)
        .catch((err: unknown) => {
          if (stopping.signal.aborted || err instanceof StaleModel) return
          if (!failures.has(keyOf(model))) {
            parts.log.warn({ err, model: model.plural, group: model.group }, 'indexes could not be built; retrying')
          }
          failures.set(keyOf(model), `${evaluationFault(err)}; retrying`)
        })
        .finally(() => running.delete(build))
      running.add(build)
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

async function buildIfNeeded(parts: BuildParts, model: Model, signal: AbortSignal): Promise<void> {
  const { store } = parts
  const build = await store.indexBuild(model)
  // An upgrade builds the indexes before it declares them.
  if (build === undefined) return reportReady(parts, model)
  const indexes = new Set(build.indexes)
  const done = new AbortController()
  const reporting = report(parts, model, AbortSignal.any([signal, done.signal]))
  // It may fail long before it is awaited below: a model can be deleted while its indexes are built.
  reporting.catch(() => undefined)
  try {
    await store.buildIndexes(model, {
      evaluate: (objects) =>
        Promise.all(objects.map((stored) => indexedOf(model, named(fromData(stored.data), stored.name), indexes))),
      edition: model.edition,
      signal,
    })
    done.abort()
    await reporting
    parts.failures.delete(keyOf(model))
    await reportReady(parts, model)
  } catch (error) {
    done.abort()
    await reporting
    if (!(error instanceof DuplicateValues)) throw error
    await reportStatus(parts, model, { phase: 'DuplicateValues', duplicates: shownDuplicates(model, error) })
  }
}

/** Only the values that are missing: functions of the indexes that exist must not stop those that are added. */
async function indexedOf(model: Model, object: JsonObject, indexes: ReadonlySet<string>): Promise<IndexedValues> {
  const { values } = await evaluated(model, object, { indexes })
  return indexedObject(model, object, values).indexed
}

async function report(parts: BuildParts, model: Model, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      const build = await parts.store.indexBuild(model)
      if (!build || signal.aborted) return
      const message = parts.failures.get(keyOf(model))
      const failed = message === undefined ? {} : { message }
      const references = referencesOf(model).map((path): ReferenceStatus => ({
        path,
        phase: build.indexes.includes(path) ? 'Building' : 'Ready',
      }))
      const ofReferences = references.length === 0 ? {} : { references }
      await reportStatus(parts, model, { phase: 'Building', build: shown(build), ...ofReferences, ...failed })
      await sleep(reportMs, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function shown({ indexes, phase, done, total, perSecond, remainingMs }: IndexBuild) {
  const seconds = remainingMs === undefined ? {} : { remainingSeconds: Math.ceil(remainingMs / 1000) }
  return { indexes, phase, done, total, perSecond: Math.round(perSecond), ...seconds }
}

/** With the values as people write them, instead of index keys. */
function shownDuplicates({ indexes }: Model, { index: name, pairs }: DuplicateValues): ModelStatus['duplicates'] {
  const { type = 'string' } = indexes.find((candidate) => candidate.name === name) ?? {}
  return { index: name, pairs: pairs.map((pair) => ({ ...pair, value: String(valueOfKey(type, pair.value)) })) }
}

type News = Readonly<Record<string, unknown>> & Pick<ModelStatus, 'phase'>

const referencesOf = ({ indexes }: Model): readonly string[] =>
  indexes.filter(({ refersTo }) => refersTo !== undefined).map(({ name }) => name)

/** Dangling values are counted once, and again while there are some: afterwards no write adds one. */
async function reportReady(parts: IndexBuilderParts, model: Model): Promise<void> {
  const paths = referencesOf(model)
  if (paths.length === 0) return reportStatus(parts, model, { phase: 'Ready' })
  const { store, definitions } = parts
  const stored = await store.get(definitions, modelObjectName(model))
  const before = stored && statusOf(fromData(stored.data))
  const isCounted = before?.phase === 'Ready' && before.references?.every(({ dangling }) => dangling === 0) === true
  if (isCounted) return
  const references: ReferenceStatus[] = []
  for (const path of paths) {
    references.push({ path, phase: 'Ready', dangling: await store.countDangling(model, path) })
  }
  await reportStatus(parts, model, { phase: 'Ready', references })
}

/** Reports only for the edition being built; the status of a newer edition stays. */
async function reportStatus(parts: IndexBuilderParts, model: Model, news: News): Promise<void> {
  return retryRaces(() => tryReport(parts, model, news))
}

async function tryReport({ store, definitions }: IndexBuilderParts, model: Model, news: News): Promise<void> {
  const name = modelObjectName(model)
  const stored = await store.get(definitions, name)
  if (!stored) return
  const { edition, phase, references } = statusOf(fromData(stored.data))
  if (phase === 'Ready' && news.phase === 'Ready' && deepEqual(references, news['references'])) return
  if (edition === model.edition) await writeStatus({ store, model: definitions }, stored, { edition, ...news })
}
