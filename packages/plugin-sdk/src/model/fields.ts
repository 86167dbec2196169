/**
 * Which fields of an object can be indexed, and what they hold. A path leads to a text, a number, a boolean, or an array of
 * one of them, as it does in the host.
 */

type Scalar = string | number | boolean

/** `spec.title`, `spec.address.city`: all that an index can be declared on. */
export type FieldPath<Stored> =
  | PathsIn<'spec.', Stored extends { readonly spec: infer Spec } ? Spec : never>
  | PathsIn<'status.', Stored extends { readonly status?: infer Status } ? NonNullable<Status> : never>

type PathsIn<Prefix extends string, Of> = {
  [Key in keyof Of & string]-?: string extends Key ? never : PathOf<`${Prefix}${Key}`, NonNullable<Of[Key]>>
}[keyof Of & string]

type PathOf<Path extends string, Of> = [Of] extends [Scalar | readonly Scalar[]]
  ? Path
  : Of extends readonly unknown[]
    ? never
    : Of extends object
      ? PathsIn<`${Path}.`, Of>
      : never

/** What stands at a path; never undefined, since no value is no value of an index. */
export type ValueAt<Of, Path extends string> = Path extends `${infer Key}.${infer Rest}`
  ? Key extends keyof Of
    ? ValueAt<NonNullable<Of[Key]>, Rest>
    : never
  : Path extends keyof Of
    ? NonNullable<Of[Path]>
    : never
