import type { FieldError } from '@pergola/api'
import { indexKey } from '../store/index-key.ts'
import type { IndexedValues } from '../store/store.ts'
import { fieldError } from '../validation/field-error.ts'
import type { Model, ModelIndex } from './model.ts'
import type { JsonObject } from './json-object.ts'

/** Of one object and index. */
const maxIndexValues = 256

export interface IndexedObject {
  readonly indexed: IndexedValues
  /** Values that cannot be indexed; they are left out. */
  readonly faults: readonly FieldError[]
}

/** What of an object can be selected and sorted by. */
export function indexedObject(model: Model, object: JsonObject): IndexedObject {
  const faults: FieldError[] = []
  const single: Record<string, string> = {}
  const multi: Record<string, readonly string[]> = {}
  for (const index of model.indexes) {
    const keys = keysOf(index, object, faults)
    const [first] = keys
    if (index.multi) multi[index.name] = keys
    else if (first !== undefined) single[index.name] = first
  }
  return { indexed: { labels: object.metadata.labels ?? {}, single, multi }, faults }
}

function keysOf({ name, type, valuesOf }: ModelIndex, object: JsonObject, faults: FieldError[]): readonly string[] {
  const values = valuesOf(object)
  const [first] = values
  if (first && values.length > maxIndexValues) {
    const message = `has ${values.length} values; at most ${maxIndexValues} can be indexed by ${name}`
    faults.push({ ...fieldError(parentOf(first.pointer), 'index', message), params: { limit: maxIndexValues } })
    return []
  }
  return values.flatMap(({ pointer, value }) => {
    if (typeof value === 'object' || value === undefined) return []
    const result = indexKey(type, value as string | number | boolean)
    if ('key' in result) return [result.key]
    faults.push(fieldError(pointer, 'index', result.fault))
    return []
  })
}

function parentOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf('/'))
}
