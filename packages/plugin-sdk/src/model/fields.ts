/**
 * Types for indexable fields and their values. As in the host, a path leads to a string, a number, a boolean, or an array of
 * one of these.
 */

type Scalar = string | number | boolean

/** Every path that an index can be declared on: `spec.title`, `spec.address.city`. */
export type FieldPath<Stored> =
  | PathsIn<'spec.', Stored extends { readonly spec: infer Spec } ? Spec : never>
  | PathsIn<'status.', Stored extends { readonly status?: infer Status } ? NonNullable<Status> : never>

type PathsIn<Prefix extends string, Of> = {
  [Key in keyof Of & string]-?: string extends Key ? never : PathOf<`${Prefix}${Key}`, NonNullable<Of[Key]>>
}[keyof Of & string]

type PathOf<Path extends string, Of> = [Of] extends [Scalar | readonly Scalar[]]
  ? Path
  : Of extends readonly (infer Item)[]
    ? ScalarsIn<`${Path}[].`, Item>
    : Of extends object
      ? PathsIn<`${Path}.`, Of>
      : never

/** Fields of the items of an array of objects: a path has one `[]`. */
type ScalarsIn<Prefix extends string, Item> = {
  [Key in keyof Item & string]-?: string extends Key
    ? never
    : [NonNullable<Item[Key]>] extends [Scalar]
      ? `${Prefix}${Key}`
      : NonNullable<Item[Key]> extends readonly unknown[]
        ? never
        : NonNullable<Item[Key]> extends object
          ? ScalarsIn<`${Prefix}${Key}.`, NonNullable<Item[Key]>>
          : never
}[keyof Item & string]

/** Type of the value at a path. Never undefined, because objects without a value are not in the index. */
export type ValueAt<Of, Path extends string> = Path extends `${infer List}[].${infer Rest}`
  ? NonNullable<ValueAt<Of, List>> extends readonly (infer Item)[]
    ? readonly ValueAt<Item, Rest>[]
    : never
  : Path extends `${infer Key}.${infer Rest}`
    ? Key extends keyof Of
      ? ValueAt<NonNullable<Of[Key]>, Rest>
      : never
    : Path extends keyof Of
      ? NonNullable<Of[Path]>
      : never
