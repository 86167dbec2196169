/** Metadata as stored and served. The server owns the fields marked so; what a client sends in them is ignored. */
export interface Metadata {
  readonly name: string
  /** Server-owned: a UUIDv7, never reused. */
  readonly uid: string
  /** Server-owned: RFC 3339, UTC, milliseconds. */
  readonly creationTimestamp: string
  /** Server-owned: 0 on create, +1 per stored change. */
  readonly version: number
  /** Server-owned: 1 on create, +1 when anything outside `metadata` and `status` changes. */
  readonly generation: number
  /** Server-owned: set once when the object is declared deleted. */
  readonly deletionTimestamp?: string
  readonly finalizers?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** What every stored object has; the rest of its fields are its model's. */
export interface ApiObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Metadata
}

/** Group and version as an object's `apiVersion` writes them; the core group has none. */
export function apiVersionOf(type: { readonly group: string; readonly version: string }): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`
}
