import type { ApiObject } from '@pergola/api'

/**
 * Which objects: the segments of their path. The core group is empty. `object` is never there; it carries the type of the
 * objects, so that whoever is given the value has the type too.
 */
export interface ResourceType<Stored extends ApiObject = ApiObject> {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly object?: Stored | undefined
}

/** What a client may say about an object that is to be. */
export interface NewMetadata {
  readonly name?: string | undefined
  /** Followed by random characters where there is no name. */
  readonly generateName?: string | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly annotations?: Readonly<Record<string, string>> | undefined
  readonly finalizers?: readonly string[] | undefined
}

/** An object to create: type and status can be left out, as can what the server owns. */
export type NewObject<Stored extends ApiObject> = Omit<Stored, 'apiVersion' | 'kind' | 'metadata' | 'status'> & {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata?: NewMetadata
} & ('status' extends keyof Stored ? { readonly status?: Stored['status'] } : unknown)

/** The same, to be changed in place. */
export type Draft<Value> = { -readonly [Key in keyof Value]: Draft<Value[Key]> }

/** One page of a list, or all of it. */
export interface List<Stored extends ApiObject> {
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
  /** Leads to the page behind this one, where there is one. */
  readonly continue?: string
  /** A watch goes on behind it. */
  readonly revision: string
  readonly items: readonly Stored[]
}

/** What became of a collection. */
export interface DeletedCollection {
  readonly deleted: number
  /** Declared deleted; they wait for their finalizers. */
  readonly pending: number
  /** The server's time ran out: ask again. */
  readonly remaining: boolean
}

/** A step of RFC 6902. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string }

/** Steps in an array, or else a merge patch: what is given replaces, `null` removes. */
export type Patch = readonly JsonPatchOperation[] | Readonly<Record<string, unknown>>

/** For `ifMatch`: the object as it was read. */
export function etagOf({ metadata: { uid, version } }: ApiObject): string {
  return `"${uid}.${version}"`
}
