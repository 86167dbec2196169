import { isApiError, type FieldError } from '@pergola/api'
import type { AnyModel, CheckContext } from '../model/model.ts'
import type { AnyPlugin } from '../plugin.ts'
import { wholeBy } from './model-client.ts'

/** One object and the evaluations that the host requests before writing it. */
export interface EvaluateItem {
  readonly group: string
  readonly plural: string
  readonly object: unknown
  readonly indexes?: readonly string[]
  readonly check?: { readonly verb: CheckContext<never>['verb']; readonly stored?: unknown; readonly caller?: string }
}

export type Evaluated =
  | { readonly values: Readonly<Record<string, readonly string[]>>; readonly errors?: readonly FieldError[] }
  /** Message of an error in the plugin's code. */
  | { readonly failed: string }

/** One more than the limit, so that the host detects the excess; an iterable may be infinite. */
const maxValues = 257

/**
 * Computes function index values and runs `check`, in the order of the items. Items do not affect each other. Of the errors in the
 * plugin's code, only the first is logged: there may be one for every object.
 */
export function evaluate(
  { models = [] }: AnyPlugin,
  items: readonly EvaluateItem[],
  log: (text: string) => void,
): readonly Evaluated[] {
  let isLogged = false
  const onFailure = (item: EvaluateItem, what: string, error: unknown) => {
    if (isLogged) return
    isLogged = true
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
    log(`${item.plural} "${nameIn(item.object)}": ${what} failed: ${why}`)
  }
  return items.map((item) => {
    const model = models.find(({ group, plural }) => group === item.group && plural === item.plural)
    if (!model) return { failed: `there is no model ${item.plural} in ${item.group}` }
    return evaluateItem(model, item, (what, error) => onFailure(item, what, error))
  })
}

/** Called with what failed. */
type OnFailure = (what: string, error: unknown) => void

function evaluateItem(model: AnyModel, item: EvaluateItem, onFailure: OnFailure): Evaluated {
  let errors: readonly FieldError[] = []
  let what = 'its check'
  try {
    const whole = wholeBy(model)
    const object = frozen(whole(item.object as never))
    errors = checkErrors(model, { ...item, object })
    const values = (item.indexes ?? []).map((name) => {
      what = `the index "${name}" of ${model.kind}`
      return [name, valuesOf(model, name, object)] as const
    })
    return { values: Object.fromEntries(values), ...(errors.length > 0 && { errors }) }
  } catch (error) {
    // What an object that is refused would have had for values is of no use to anybody.
    if (errors.length > 0) return { values: {}, errors }
    onFailure(what, error)
    const message = error instanceof Error ? error.message : String(error)
    const isNamed = what === 'its check' || message.startsWith(what)
    return { failed: isNamed ? message : `${what} failed: ${message}` }
  }
}

function nameIn(object: unknown): string {
  return (object as { metadata?: { name?: string } }).metadata?.name ?? ''
}

function checkErrors(model: AnyModel, { object, check }: EvaluateItem): readonly FieldError[] {
  if (!check || !model.check) return []
  const { verb, caller } = check
  const stored = check.stored === undefined ? undefined : frozen(wholeBy(model)(check.stored as never))
  try {
    refusePromise('check', model.check(object as never, { stored, verb, caller } as CheckContext<never>))
    return []
  } catch (error) {
    if (isApiError(error) && error.reason === 'Invalid' && error.errors) return error.errors
    throw error
  }
}

function valuesOf(model: AnyModel, name: string, object: unknown): readonly string[] {
  const index = model.indexes.find((one) => typeof one !== 'string' && 'name' in one && one.name === name)
  if (index === undefined || typeof index === 'string' || 'path' in index) {
    throw new Error(`the index "${name}" of ${model.kind} is not a function index`)
  }
  const where = `the index "${name}" of ${model.kind}`
  if ('single' in index) {
    const value: unknown = index.single(object as never)
    refusePromise(where, value)
    return value === null || value === undefined ? [] : [textOf(where, value)]
  }
  const values: unknown = index.multi(object as never)
  refusePromise(where, values)
  // A string is iterable too, but never meant here.
  if (typeof values !== 'object' || values === null || !(Symbol.iterator in values)) {
    throw new Error(`${where} returns ${shown(values)}; it must return strings, for example in an array`)
  }
  const texts: string[] = []
  for (const value of values as Iterable<unknown>) {
    texts.push(textOf(where, value))
    if (texts.length === maxValues) break
  }
  return texts
}

function textOf(where: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw new Error(`${where} returns ${shown(value)}; index values are strings, convert it`)
}

/** A rejected promise that nobody awaits would end the process. */
function refusePromise(where: string, value: unknown): void {
  if (!(value instanceof Promise)) return
  value.catch(() => {})
  throw new Error(`${where} is asynchronous; it must answer at once`)
}

function shown(value: unknown): string {
  return value === null ? 'null' : `a ${typeof value}`
}

/** Freezes the object, because `check` and all index functions share it. */
function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) frozen(part)
  }
  return value
}
