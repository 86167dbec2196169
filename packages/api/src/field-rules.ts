import type { NamingParams } from './names.ts'
import type { Reason } from './problem.ts'

/**
 * Rules whose sentence has values, with the params that carry them. JSON Schema keywords have the params of the validator.
 * Where a rule has several sentences, `fault` tells which.
 */
export interface FieldRuleParams {
  readonly approval: { readonly approval: string }
  readonly const: { readonly allowedValue: unknown }
  readonly contains: { readonly minContains: number }
  readonly dependentRequired: { readonly property: string; readonly missingProperty: string }
  readonly depth: { readonly limit: number }
  readonly enum: { readonly allowedValues: readonly unknown[] }
  readonly exclusiveMaximum: { readonly limit: number }
  readonly exclusiveMinimum: { readonly limit: number }
  /** `taken`: an object has the name; `missing`: no object has it. */
  readonly exists: { readonly fault: 'taken' | 'missing'; readonly kind: string; readonly name: string }
  readonly finalizer: NamingParams | { readonly fault: 'deleting' }
  readonly format: { readonly format: string }
  readonly held: { readonly role: string }
  /** The value that cannot change. */
  readonly immutable: { readonly stored: string; readonly sent?: string }
  /** `name` or `path` of the index; `actual` values of an object. */
  readonly index: {
    readonly fault:
      | 'default'
      | 'twice'
      | 'form'
      | 'path'
      | 'too-few'
      | 'direction'
      | 'unknown'
      | 'several'
      | 'values'
      | 'value'
    readonly name?: string
    readonly path?: string
    readonly actual?: number
    readonly limit?: number
  }
  readonly key: NamingParams
  readonly labelValue: NamingParams
  readonly limit: { readonly limit: number; readonly actual: number; readonly unit: string }
  readonly maxItems: { readonly limit: number }
  readonly maxLength: { readonly limit: number }
  readonly maxProperties: { readonly limit: number }
  readonly maximum: { readonly limit: number }
  readonly minItems: { readonly limit: number }
  readonly minLength: { readonly limit: number }
  readonly minProperties: { readonly limit: number }
  readonly minimum: { readonly limit: number }
  readonly multipleOf: { readonly multipleOf: number }
  /** `expected`: the name follows from other fields. The last two are of names in model definitions. */
  readonly name:
    | NamingParams
    | { readonly fault: 'expected'; readonly expected: string }
    | { readonly fault: 'group-form' | 'kind-form' | 'resource-form'; readonly limit: number }
    | { readonly fault: 'reserved' | 'audience' | 'version-form' }
  /** Beyond `limit`, or the number would be stored as `kept`. */
  readonly number: { readonly value: string; readonly limit?: number; readonly kept?: string }
  /** The reason of the operation's own problem, with its params. */
  readonly operation: { readonly reason: Reason; readonly [value: string]: string | number | readonly string[] }
  /** No object of the resource has the name, or it is being deleted. */
  readonly reference: { readonly resource: string; readonly name: string }
  readonly propertyNames: { readonly propertyName: string }
  /** The object in which the field belongs. */
  readonly settings: { readonly belongsIn: 'configmap' | 'secret' }
  readonly size: { readonly limit: number }
  readonly taken: { readonly group: string; readonly holders: readonly string[] }
  /** One type or several; `expected` is the only value that fits. */
  readonly type: { readonly type: string | readonly string[] } | { readonly expected: string }
  readonly uid: { readonly stored: string }
  readonly uniqueItems: { readonly i: number; readonly j: number }
  /** The unique index with the object that has the value, or the earlier operation of a batch. */
  readonly unique: { readonly index?: string; readonly holder?: string } | { readonly operation: number }
  readonly version: { readonly stored: number }
  readonly versions: { readonly actual: number }
}

/** Rules that promise no params: their sentence has no values, or is in `message` only. */
type PlainRule =
  | 'anyOf'
  | 'check'
  | 'display'
  | 'duplicate'
  | 'future'
  | 'json'
  | 'not'
  | 'nul'
  | 'oneOf'
  | 'package'
  | 'password'
  | 'patch'
  | 'pattern'
  | 'plugin'
  | 'query'
  | 'readOnly'
  | 'required'
  | 'reserved'
  | 'schema'
  | 'selector'
  | 'surrogate'
  | 'unknown'
  | 'upgrade'

/** All rules that the host reports. A plugin can report others. */
export type FieldRule = keyof FieldRuleParams | PlainRule
