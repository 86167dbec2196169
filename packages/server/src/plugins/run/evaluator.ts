import { ApiError, type FieldError } from '@pergola/api'
import { errors } from 'undici'
import { isJsonObject } from '../../base/json-object.ts'
import { FunctionFault, type Evaluation, type EvaluationRequest } from '../../models/definition/evaluation.ts'
import type { ModelKey } from '../../store/store.ts'
import type { PluginLink } from '../process/plugin-link.ts'

/** An answer to a client names at most this many errors. */
const mostErrors = 100

/** Maximum number of items per question; more wait for the next one. */
const mostItems = 100
/** Maximum number of concurrent questions: a slow one must not block the others. */
const mostQuestions = 4

interface Waiting {
  readonly item: EvaluationRequest & ModelKey
  readonly resolve: (evaluation: Evaluation) => void
  readonly reject: (error: unknown) => void
}

/** Asks a running plugin about objects; concurrent requests are batched into one question. */
export interface Evaluator {
  evaluate(model: ModelKey, request: EvaluationRequest): Promise<Evaluation>
}

export function createEvaluator(plugin: string, link: Pick<PluginLink, 'evaluate'>): Evaluator {
  const waiting: Waiting[] = []
  let asking = 0
  const ask = async (batch: readonly Waiting[]) => {
    try {
      const answers = answersIn(await link.evaluate(batch.map(({ item }) => item)), batch.length)
      for (const [at, waited] of batch.entries()) settle(plugin, answers[at], waited)
    } catch (error) {
      for (const { reject } of batch) reject(toPluginError(plugin, error))
    }
  }
  /** Items that arrive while all questions are in flight are batched. */
  const next = () => {
    if (asking >= mostQuestions || waiting.length === 0) return
    asking++
    void ask(waiting.splice(0, mostItems)).finally(() => {
      asking--
      next()
    })
  }
  return {
    evaluate: ({ group, plural }, request) =>
      new Promise((resolve, reject) => {
        // By then, everything requested in this turn of the event loop has arrived.
        if (waiting.push({ item: { group, plural, ...request }, resolve, reject }) === 1) setImmediate(next)
      }),
  }
}

function answersIn(answer: unknown, count: number): readonly unknown[] {
  const items = isJsonObject(answer) ? answer['items'] : undefined
  if (!Array.isArray(items) || items.length !== count)
    throw new Error('its response does not have one result per object')
  return items
}

function settle(plugin: string, answer: unknown, { item, resolve, reject }: Waiting): void {
  const { values, errors: faults = [], failed } = isJsonObject(answer) ? answer : {}
  if (isJsonObject(values) && Object.values(values).every(isTexts) && Array.isArray(faults)) {
    return resolve({ values: values as Evaluation['values'], errors: faults.slice(0, mostErrors).map(faultOf) })
  }
  const why = typeof failed === 'string' ? failed : 'its response is not valid'
  return reject(failure(plugin, new FunctionFault(`${item.plural} "${nameIn(item)}": ${why}`)))
}

function nameIn({ object: { metadata } }: EvaluationRequest): string {
  return isJsonObject(metadata) ? String(metadata['name']) : ''
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/** Copies only the known fields of an error, as text. */
function faultOf(fault: unknown): FieldError {
  const { pointer, field, message } = isJsonObject(fault) ? fault : {}
  return { pointer: textOf(pointer), field: textOf(field), rule: 'check', message: textOf(message) || 'is not right' }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 1_000) : ''
}

function toPluginError(plugin: string, cause: unknown): ApiError {
  if (!(cause instanceof errors.HeadersTimeoutError)) return failure(plugin, cause)
  return new ApiError('PluginTimeout', `the plugin ${plugin} did not validate the object in time; try again`, {
    cause,
  })
}

function failure(plugin: string, cause: unknown): ApiError {
  return new ApiError('PluginFailed', `the plugin ${plugin} failed to validate the object; its log has the details`, {
    cause,
  })
}
