import type { FieldError } from '@pergola/api'
import { indexKey } from '../store/index-key.ts'
import type { IndexedValues } from '../store/store.ts'
import { fieldError } from '../call/field-error.ts'
import type { Model, ModelIndex } from './model.ts'
import type { JsonObject } from './object.ts'

/** Per object and index. */
export const maxIndexValues = 256

export interface IndexedObject {
  readonly indexed: IndexedValues
  /** Values that cannot be indexed; they are skipped. */
  readonly faults: readonly FieldError[]
}

/** The values by which an object can be selected and sorted; `values` are those computed by a plugin. */
export function indexedObject(
  model: Model,
  object: JsonObject,
  values: Readonly<Record<string, readonly string[]>> = {},
): IndexedObject {
  const faults: FieldError[] = []
  const single: Record<string, string> = {}
  const multi: Record<string, readonly string[]> = {}
  for (const index of model.indexes) {
    const found = index.evaluated ? saidValues(index, values) : index.valuesOf(object)
    // An index built in advance must not make a write invalid before the upgrade.
    const keys = keysOf(index, found, index.isNext ? [] : faults)
    const [first] = keys
    if (index.multi) multi[index.name] = keys
    else if (first !== undefined) single[index.name] = first
  }
  return { indexed: { labels: object.metadata.labels ?? {}, single, multi }, faults }
}

interface FoundValue {
  readonly pointer: string
  readonly value: unknown
}

/** Values computed by a plugin have no location in the object, so no pointer. */
function saidValues({ name }: ModelIndex, values: Readonly<Record<string, readonly string[]>>): readonly FoundValue[] {
  return (Object.hasOwn(values, name) ? (values[name] ?? []) : []).map((value) => ({ pointer: '', value }))
}

function keysOf({ name, type }: ModelIndex, values: readonly FoundValue[], faults: FieldError[]): readonly string[] {
  const [first] = values
  if (first && values.length > maxIndexValues) {
    const message = `has ${values.length} values; at most ${maxIndexValues} can be indexed by ${name}`
    const params = { fault: 'values', name, actual: values.length, limit: maxIndexValues } as const
    faults.push(fieldError(parentOf(first.pointer), 'index', { message, params }))
    return []
  }
  return values.flatMap(({ pointer, value }) => {
    if (typeof value === 'object' || value === undefined) return []
    const result = indexKey(type, value as string | number | boolean)
    if ('key' in result) return [result.key]
    faults.push(fieldError(pointer, 'index', { message: result.fault, params: { fault: 'value', name } }))
    return []
  })
}

function parentOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf('/'))
}
