import type { SentMetadata } from '../validation/metadata.ts'

/** What a client says of an object: everything but its type and what the server owns of its metadata. */
export interface JsonObject {
  readonly metadata: SentMetadata
  readonly [field: string]: unknown
}

/** What people ask for: everything but metadata and status. */
export function withoutStatus(object: JsonObject): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([field]) => field !== 'metadata' && field !== 'status'))
}

/** The same object with another status, or with none. */
export function withStatus(object: JsonObject, status: unknown): JsonObject {
  const fields = withoutStatus(object)
  return { ...fields, metadata: object.metadata, ...(status !== undefined && { status }) }
}
