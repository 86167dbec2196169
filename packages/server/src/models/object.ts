import type { SentMetadata } from '../validation/metadata.ts'

/** The client-owned part of an object: everything except its type and server-owned metadata. */
export interface JsonObject {
  readonly metadata: SentMetadata
  readonly [field: string]: unknown
}

/** Everything except metadata and status: the desired state. */
export function withoutStatus(object: JsonObject): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([field]) => field !== 'metadata' && field !== 'status'))
}

/** The same object with another status, or without one. */
export function withStatus(object: JsonObject, status: unknown): JsonObject {
  const fields = withoutStatus(object)
  return { ...fields, metadata: object.metadata, ...(status !== undefined && { status }) }
}

/** Functions of plugins see the name, which is not stored in the object. */
export function named(object: JsonObject, name: string | undefined): JsonObject {
  return name === undefined ? object : { ...object, metadata: { ...object.metadata, name } }
}
