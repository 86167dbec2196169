import { Type, type TString } from 'typebox'
import type { Infer, Schema } from './infer.ts'

/**
 * TypeBox, as far as JSON goes: what each function makes is the JSON Schema itself, and carries its type. Whatever else JSON
 * Schema can say is written as such; `t.Unsafe` gives it a type.
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

/** Filled in where it is left out; so it may be left out when an object is written, and is there when it is read. */
export function withDefault<Of extends Schema>(schema: Of, value: Infer<Of>): Of & { readonly default: Infer<Of> } {
  return Object.assign(copyOf(schema), { default: value })
}

/** A text in settings that is sealed before it is stored, and that the console never shows again. */
export function secret(options: { readonly description?: string; readonly maxLength?: number } = {}): TString {
  return Type.String({ ...options, format: 'password', writeOnly: true })
}

/** With the marks that TypeBox hides from JSON. */
function copyOf<Of extends Schema>(schema: Of): Of {
  return Object.create(Object.getPrototypeOf(schema) as object, Object.getOwnPropertyDescriptors(schema)) as Of
}
