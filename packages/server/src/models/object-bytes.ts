import type { StoredObject } from '../store/store.ts'
import type { SentMetadata } from '../validation/metadata.ts'
import type { Model } from './model.ts'

/** What a client says of an object: everything but what the server owns. */
export interface SentObject {
  readonly metadata: SentMetadata
  readonly [field: string]: unknown
}

/**
 * An object is stored as the end of its JSON: what the client owns, from behind the server's part of the metadata on.
 * The beginning is made from the row when it is read, so that an answer is two buffers joined and nothing is parsed
 * (10 to 16 times cheaper than parsing and writing it again).
 */
export function toData({ metadata, ...fields }: SentObject): Buffer {
  const { labels, annotations, finalizers } = metadata
  const owned = { ...(finalizers && { finalizers }), ...(labels && { labels }), ...(annotations && { annotations }) }
  const ownedJson = JSON.stringify(owned).slice(1)
  const comma = ownedJson === '}' ? '' : ','
  return Buffer.from(
    `${comma}${ownedJson}${JSON.stringify(fields)
      .replace(/^\{(?!\})/, ',')
      .replace(/^\{/, '')}`,
  )
}

/** The object as it is served, in pieces. */
export function toPieces({ group, kind }: Model, stored: StoredObject): [Buffer, Buffer] {
  const apiVersion = group === '' ? stored.storedAs : `${group}/${stored.storedAs}`
  const deleted =
    stored.deletedAt === undefined ? '' : `,"deletionTimestamp":"${new Date(stored.deletedAt).toISOString()}"`
  const created = new Date(stored.createdAt).toISOString()
  const head =
    `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":{"name":"${stored.name}","uid":"${stored.uid}",` +
    `"version":${stored.version},"generation":${stored.generation},"creationTimestamp":"${created}"${deleted}`
  return [Buffer.from(head), stored.data]
}

export function toBytes(model: Model, stored: StoredObject): Buffer {
  return Buffer.concat(toPieces(model, stored))
}
