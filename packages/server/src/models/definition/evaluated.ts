import { ApiError } from '@pergola/api'
import type { Caller } from '../../call/call.ts'
import { nextIndexName } from '../../store/store.ts'
import type { Evaluation } from './evaluation.ts'
import type { JsonObject } from '../object.ts'
import type { Model, ModelIndex } from '../model.ts'

const nothing: Evaluation = { values: {}, errors: [] }

interface Asked {
  /** Whether index values are needed, or of which indexes. */
  readonly indexes: boolean | ReadonlySet<string>
  readonly check?: {
    readonly verb: 'create' | 'update' | 'patch'
    readonly stored: JsonObject | undefined
    readonly caller: Caller | undefined
  }
}

/** Asks the plugin, if the model needs it; throws when no answer can be had. */
export async function evaluated(model: Model, object: JsonObject, asked: Asked): Promise<Evaluation> {
  const { check } = asked
  const isNeeded = ({ name }: ModelIndex) => typeof asked.indexes === 'boolean' || asked.indexes.has(name)
  const needed = asked.indexes === false ? [] : model.indexes.filter((index) => index.evaluated && isNeeded(index))
  const indexes = needed.filter(({ isNext }) => !isNext).map(({ name }) => name)
  const isChecked = check !== undefined && model.definition.check === true
  const [now, ahead] = await Promise.all([
    evaluatedNow(model, object, { indexes, ...(isChecked && { check }) }),
    valuesAhead(model, object, new Set(needed.filter(({ isNext }) => isNext).map(({ name }) => name))),
  ])
  return { ...now, values: { ...now.values, ...ahead } }
}

interface AskedNow {
  readonly indexes: readonly string[]
  readonly check?: Asked['check']
}

async function evaluatedNow(model: Model, object: JsonObject, { indexes, check }: AskedNow): Promise<Evaluation> {
  if (indexes.length === 0 && !check) return nothing
  if (!model.evaluate)
    throw new ApiError('PluginNotStarted', `no running plugin computes the index values of ${model.plural}; try again`)
  const { verb = 'update', stored, caller } = check ?? {}
  return model.evaluate({
    object: typed(model, object),
    indexes,
    ...(check && {
      check: {
        verb,
        ...(stored && { stored: typed(model, stored) }),
        ...(caller && caller.kind !== 'anonymous' && { caller: caller.name }),
      },
    }),
  })
}

/** Values of indexes that are built ahead, keyed by their own names. */
async function valuesAhead(
  model: Model,
  object: JsonObject,
  ahead: ReadonlySet<string>,
): Promise<Evaluation['values']> {
  if (ahead.size === 0) return {}
  if (!model.evaluateNext)
    throw new ApiError(
      'PluginNotStarted',
      `no running plugin computes the values of the new indexes of ${model.plural}; try again`,
    )
  const { next } = model.definition
  const indexes = (next?.indexes ?? []).map(({ name }) => name).filter((name) => ahead.has(nextIndexName(name)))
  const { values } = await model.evaluateNext({ object: typed(model, object), indexes })
  return Object.fromEntries(Object.entries(values).map(([name, said]) => [nextIndexName(name), said]))
}

/** The object as it is served, without server-owned metadata. */
function typed({ apiVersion, kind }: Model, object: JsonObject): Readonly<Record<string, unknown>> {
  return { apiVersion, kind, ...object }
}
