import { Type, type TString } from 'typebox'
import type { Infer, Schema } from './infer.ts'

/**
 * The part of TypeBox that JSON can express. Each function returns a JSON Schema that carries its type. Write other JSON Schema
 * keywords directly; `t.Unsafe` gives them a type.
 */
export const t = {
  Array: Type.Array,
  Boolean: Type.Boolean,
  Enum: Type.Enum,
  Integer: Type.Integer,
  Intersect: Type.Intersect,
  Literal: Type.Literal,
  Null: Type.Null,
  Number: Type.Number,
  Object: Type.Object,
  Optional: Type.Optional,
  Record: Type.Record,
  String: Type.String,
  Tuple: Type.Tuple,
  Union: Type.Union,
  Unknown: Type.Unknown,
  Unsafe: Type.Unsafe,
} as const

/** Adds a default. The field may be omitted on write and is always present on read. */
export function withDefault<Of extends Schema>(schema: Of, value: Infer<Of>): Of & { readonly default: Infer<Of> } {
  return Object.assign(copyOf(schema), { default: value })
}

/** A string setting that is stored encrypted and never shown again by the console. */
export function secret(options: { readonly description?: string; readonly maxLength?: number } = {}): TString {
  return Type.String({ ...options, format: 'password', writeOnly: true })
}

/** Copies the non-enumerable markers of TypeBox too. */
function copyOf<Of extends Schema>(schema: Of): Of {
  return Object.create(Object.getPrototypeOf(schema) as object, Object.getOwnPropertyDescriptors(schema)) as Of
}
