import type { ApiObject } from '@pergola/api'

/**
 * Identifies the objects of a model by the segments of their path. The core group is empty. `object` is never set at run time;
 * it carries the type of the objects.
 */
export interface ResourceType<Stored extends ApiObject = ApiObject> {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly object?: Stored | undefined
}

/** Metadata that a client may set on a new object. */
export interface NewMetadata {
  readonly name?: string | undefined
  /** Prefix of a generated name; used when `name` is absent. */
  readonly generateName?: string | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly annotations?: Readonly<Record<string, string>> | undefined
  readonly finalizers?: readonly string[] | undefined
}

/** An object to create. `apiVersion`, `kind`, `status` and server-owned metadata may be omitted. */
export type NewObject<Stored extends ApiObject> = Omit<Stored, 'apiVersion' | 'kind' | 'metadata' | 'status'> & {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata?: NewMetadata
} & ('status' extends keyof Stored ? { readonly status?: Stored['status'] } : unknown)

/** A mutable version of a type, for changes in place. */
export type Draft<Value> = { -readonly [Key in keyof Value]: Draft<Value[Key]> }

/** The requested part of an object. It cannot be written: that would remove what is missing. */
export type PartOf<Stored extends ApiObject> = Pick<Stored, 'apiVersion' | 'kind'> & {
  readonly metadata: Pick<Stored['metadata'], 'name' | 'uid' | 'version'> & Partial<Stored['metadata']>
} & { readonly [Key in Exclude<keyof Stored, 'apiVersion' | 'kind' | 'metadata'>]?: Part<Stored[Key]> }

type Part<Value> = Value extends readonly (infer Item)[]
  ? readonly Part<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]?: Part<Value[Key]> }
    : Value

/** One page of a list, or the whole list. */
export interface List<Stored> {
  readonly apiVersion: string
  readonly kind: string
  readonly page: number
  readonly size: number
  readonly total: number
  readonly totalIsEstimate: boolean
  readonly totalPages: number
  readonly first: boolean
  readonly last: boolean
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  /** Token for the next page; absent on the last page. */
  readonly continue?: string
  /** A watch started with this revision delivers every later change. */
  readonly revision: string
  readonly items: readonly Stored[]
  /** With `expand`: the objects that the items refer to, by `<plural>.<group>` and name. */
  readonly expanded?: Readonly<Record<string, Readonly<Record<string, ApiObject>>>>
  /** True if `expanded` lacks some objects because there are too many. */
  readonly expandedIsPartial?: boolean
  /** With `referrers`: by `<plural>.<group>/<path>` and name of an item, how many objects refer to it. */
  readonly referrers?: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** Result of deleting a collection. */
export interface DeletedCollection {
  readonly deleted: number
  /** Objects declared deleted that still have finalizers. */
  readonly pending: number
  /** Objects that are kept because other objects refer to them. */
  readonly refused: number
  /** The server ran out of time; repeat the request to delete the rest. */
  readonly remaining: boolean
}

/** A JSON Patch operation (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string }

/**
 * An array is a JSON Patch (RFC 6902). An object is a merge patch (RFC 7386): its fields replace stored ones, `null` removes.
 */
export type Patch = readonly JsonPatchOperation[] | Readonly<Record<string, unknown>>

/** A merge patch of an object: any part of it, `null` where a field is removed. */
export type MergePatch<Value> = Value extends readonly unknown[] | string | number | boolean | null | undefined
  ? Value
  : { readonly [Field in keyof Value]?: MergePatch<Value[Field]> | null }

/** ETag of the object as read, for `ifMatch`. */
export function etagOf({ metadata: { uid, version } }: ApiObject): string {
  return `"${uid}.${version}"`
}
