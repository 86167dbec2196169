import { ApiError } from '@pergola/api'
import { joinBytes } from '../base/join-bytes.ts'
import type { StoredObject } from '../store/store.ts'
import type { SentMetadata } from '../validation/metadata.ts'
import type { JsonObject } from './object.ts'
import type { Model } from './model.ts'

/** Limit of a body and of an object: patches and defaults cannot make an object larger than a body may be. */
export const maxObjectBytes = 1024 * 1024

/**
 * An object is stored as the tail of its JSON: the client-owned part, after the server-owned metadata. The head is made from
 * the row on read, so an answer joins two buffers and parses nothing (10 to 16 times cheaper than parsing and serializing).
 */
export function toData({ metadata, ...fields }: JsonObject): Buffer {
  const ownedJson = JSON.stringify(clientMetadata(metadata)).slice(1)
  const comma = ownedJson === '}' ? '' : ','
  const fieldsJson = JSON.stringify(fields)
    .replace(/^\{(?!\})/, ',')
    .replace(/^\{/, '')
  const data = Buffer.from(`${comma}${ownedJson}${fieldsJson}`)
  if (data.length <= maxObjectBytes) return data
  throw new ApiError('PayloadTooLarge', `the object would be larger than ${maxObjectBytes} bytes`, {
    params: { limit: maxObjectBytes },
  })
}

/** The client-owned part of the metadata. */
export function clientMetadata({ finalizers, labels, annotations }: SentMetadata): SentMetadata {
  return { ...(finalizers && { finalizers }), ...(labels && { labels }), ...(annotations && { annotations }) }
}

/** Parses data written by `toData`. */
export function fromData(data: Buffer): JsonObject {
  const text = data.toString()
  return JSON.parse(`{"metadata":{${text.startsWith(',') ? text.slice(1) : text}`) as JsonObject
}

/** The head of the object as it is served; its data follows. */
export function headOf({ group, kind }: Model, stored: StoredObject): string {
  const apiVersion = group === '' ? stored.storedAs : `${group}/${stored.storedAs}`
  const deleted =
    stored.deletedAt === undefined ? '' : `,"deletionTimestamp":"${new Date(stored.deletedAt).toISOString()}"`
  const created = new Date(stored.createdAt).toISOString()
  return (
    `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":{"name":"${stored.name}","uid":"${stored.uid}",` +
    `"version":${stored.version},"generation":${stored.generation},"creationTimestamp":"${created}"${deleted}`
  )
}

/** The object as shown in lists, watches and answers to writes: without sealed fields. */
export function toBytes(model: Model, stored: StoredObject): Buffer {
  return joinBytes([headOf(model, stored), shownData(model, stored)])
}

/** The tail of the object, without sealed fields; also for lists and watches. */
export function shownData({ rules: { sealing } }: Model, { data }: StoredObject): Buffer {
  return sealing ? toData(sealing.withhold(fromData(data))) : data
}

/** The object as shown by `get`, with sealed fields opened. */
export function openedBytes(model: Model, stored: StoredObject): Buffer {
  const { sealing } = model.rules
  if (!sealing) return toBytes(model, stored)
  return joinBytes([headOf(model, stored), toData(sealing.open(fromData(stored.data), stored.uid))])
}

/** The object as stored, with sealed fields still sealed; for use inside the host. */
export function storedBytes(model: Model, stored: StoredObject): Buffer {
  return joinBytes([headOf(model, stored), stored.data])
}
