/** Metadata as stored and served. The server ignores values that clients send in server-owned fields. */
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
  /** Server-owned: set once, when an object with finalizers is declared deleted. */
  readonly deletionTimestamp?: string
  readonly finalizers?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** Annotation that only the server writes: the plugin whose package declares the object. */
export const declarerKey = 'plugin.platform.run/owner'

/** Fields that every stored object has. The model defines the others. */
export interface ApiObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Metadata
}

/** Formats group and version for `apiVersion`: `<group>/<version>`, or only the version for the core group. */
export function apiVersionOf(type: { readonly group: string; readonly version: string }): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`
}
