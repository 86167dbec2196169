/** A TypeBox schema or a plain JSON Schema; both are accepted everywhere. */
export type Schema = object

/** Type of a value when read: defaults are filled in. */
export type Infer<Of> = Value<Of, 'read'>

/** Type of a value when written: fields with a default are optional. */
export type InferInput<Of> = Value<Of, 'write'>

/*
 * TypeBox has a type that does this too, but in the type of a callback it took 1.3 million instantiations where this one takes
 * two thousand, because it also covers values that JSON cannot hold. This one covers JSON Schema, and of TypeBox only its
 * marker for optional fields.
 */

type Mode = 'read' | 'write'

interface Scalars {
  readonly string: string
  readonly number: number
  readonly integer: number
  readonly boolean: boolean
  readonly null: null
}

/** A schema without known keywords allows any value. */
type Value<Of, As extends Mode> = Of extends { readonly '~unsafe': infer Said }
  ? Said
  : Of extends { readonly const: infer Only }
    ? Only
    : Of extends { readonly enum: readonly (infer One)[] }
      ? One
      : Of extends { readonly anyOf: readonly (infer One)[] } | { readonly oneOf: readonly (infer One)[] }
        ? Value<One, As>
        : Of extends { readonly allOf: readonly unknown[] }
          ? AllOf<Of['allOf'], As>
          : Of extends { readonly type: infer Type }
            ? Typed<Of, Type, As>
            : unknown

type AllOf<Parts extends readonly unknown[], As extends Mode> = Parts extends readonly [infer First, ...infer Rest]
  ? Value<First, As> & AllOf<Rest, As>
  : unknown

type Typed<Of, Type, As extends Mode> = Type extends keyof Scalars
  ? Scalars[Type]
  : Type extends 'array'
    ? Items<Of, As>
    : Type extends 'object'
      ? Fields<Of, As>
      : Type extends readonly (infer One)[]
        ? Typed<Of, One, As>
        : unknown

type Items<Of, As extends Mode> = Of extends { readonly prefixItems: infer Tuple extends readonly unknown[] }
  ? TupleOf<Tuple, As>
  : Of extends { readonly items: infer Item }
    ? Item extends readonly unknown[]
      ? TupleOf<Item, As>
      : readonly Value<Item, As>[]
    : readonly unknown[]

type TupleOf<Tuple extends readonly unknown[], As extends Mode> = { readonly [At in keyof Tuple]: Value<Tuple[At], As> }

/** Flattens the intersection, so that messages and editors show the fields. */
type Fields<Of, As extends Mode> = Of extends { readonly properties: infer Properties }
  ? FieldsOf<Properties, LeftOut<Of, Properties, As>, As> extends infer Parts
    ? { readonly [Key in keyof Parts]: Parts[Key] }
    : never
  : Of extends { readonly patternProperties: infer Patterns }
    ? { readonly [name: string]: Value<Patterns[keyof Patterns], As> }
    : Of extends { readonly additionalProperties: infer Every extends object }
      ? { readonly [name: string]: Value<Every, As> }
      : { readonly [name: string]: unknown }

type FieldsOf<Properties, Optional, As extends Mode> = {
  readonly [Key in Exclude<keyof Properties, Optional>]: Value<Properties[Key], As>
} & {
  readonly [Key in Extract<keyof Properties, Optional>]?: Value<Properties[Key], As>
}

/** TypeBox marks optional fields; JSON Schema lists required ones. */
type LeftOut<Of, Properties, As extends Mode> = {
  [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown }
    ? As extends 'write'
      ? Key
      : never
    : Of extends { readonly '~kind': string }
      ? Properties[Key] extends { readonly '~optional': true }
        ? Key
        : never
      : Key extends Required<Of>
        ? never
        : Key
}[keyof Properties]

type Required<Of> = Of extends { readonly required: readonly (infer Key)[] } ? Key : never
