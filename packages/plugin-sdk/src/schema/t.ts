import type { ApiObject, FieldDisplay } from '@pergola/api'
import {
  Type,
  type TArray,
  type TArrayOptions,
  type TBoolean,
  type TEnum,
  type TEnumValue,
  type TInteger,
  type TNumber,
  type TNumberOptions,
  type TSchema,
  type TSchemaOptions,
  type TString,
  type TStringOptions,
} from 'typebox'
import type { Infer, Schema } from './infer.ts'

/** How the console and `pergola list` present the field. */
interface Displayed<Value extends string | number = string> {
  readonly display?: FieldDisplay<Value>
}

/** The functions of TypeBox whose `display` is checked. */
interface DisplayedTypes {
  readonly Array: <Type extends TSchema>(items: Type, options?: TArrayOptions & Displayed) => TArray<Type>
  readonly Boolean: (options?: TSchemaOptions & Displayed) => TBoolean
  readonly Enum: {
    <Values extends TEnumValue[]>(
      values: readonly [...Values],
      options?: TSchemaOptions & Displayed<Values[number]>,
    ): TEnum<Values>
    /** The values of a TypeScript enum. */
    <Named extends Readonly<Record<string, TEnumValue>>>(
      named: Named,
      options?: TSchemaOptions & Displayed<Named[keyof Named]>,
    ): TEnum<Named[keyof Named][]>
  }
  readonly Integer: (options?: TNumberOptions & Displayed) => TInteger
  readonly Number: (options?: TNumberOptions & Displayed) => TNumber
  readonly String: (options?: TStringOptions & Displayed) => TString
}

const displayed: DisplayedTypes = Type

interface ReferenceOptions {
  readonly description?: string
  /** What happens when the object is deleted; `refuse` by default: it cannot be. */
  readonly onDelete?: 'refuse'
}

/** Part of a model, which `t.Ref` needs. */
interface Referred<Stored> {
  readonly group: string
  readonly plural: string
  readonly object?: Stored
}

/** A reference; `~refersTo` exists only at compile time. */
type TReference<Stored = ApiObject> = TString & { readonly '~refersTo': Stored }

/**
 * The name of an object of a model: it must exist when the reference is written, and cannot be deleted while it is referred to.
 * The field is indexed. For a model that is declared later, as for a reference of a model to itself, write
 * `<group>/<plural>`, and for users `users`.
 */
function reference<Stored = ApiObject>(
  target: Referred<Stored> | `${string}/${string}` | 'users',
  options: ReferenceOptions = {},
): TReference<Stored> {
  const { onDelete = 'refuse', ...others } = options
  const [group = '', plural = ''] =
    typeof target === 'string' ? `/${target}`.split('/').slice(-2) : [target.group, target.plural]
  return Type.String({ ...others, 'x-reference': { group, plural, onDelete } }) as TReference<Stored>
}

/**
 * The part of TypeBox that JSON can express. Each function returns a JSON Schema that carries its type. Write other JSON Schema
 * keywords directly; `t.Unsafe` gives them a type.
 */
export const t = {
  Array: displayed.Array,
  Boolean: displayed.Boolean,
  Enum: displayed.Enum,
  Integer: displayed.Integer,
  Intersect: Type.Intersect,
  Literal: Type.Literal,
  Null: Type.Null,
  Number: displayed.Number,
  Object: Type.Object,
  Optional: Type.Optional,
  Record: Type.Record,
  Ref: reference,
  String: displayed.String,
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
