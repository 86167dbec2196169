import type { ApiObject, NewObject } from '@pergola/client'
import type { WrittenObject } from './read-documents.ts'

/** What the server says of an object, and nobody else. */
const owned = new Set(['uid', 'version', 'generation', 'creationTimestamp', 'deletionTimestamp'])
/** What a file that does not speak of it leaves as it is: others write it, too. */
const leftAlone = ['labels', 'annotations', 'finalizers']

export interface ModelTraits {
  /** Then a status is not the business of whoever writes the object. */
  readonly statusSubresource: boolean
}

/** An object that is not there yet. What a server, this one or another, has said of it does not count. */
export function newObject(written: WrittenObject, { statusSubresource }: ModelTraits): NewObject<ApiObject> {
  const { metadata, ...fields } = withoutStatus(written, statusSubresource)
  const kept = Object.entries(metadata).filter(([field]) => !owned.has(field))
  return { ...fields, metadata: Object.fromEntries(kept) }
}

/**
 * What is to become of a stored object: what the file says in place of what is stored, field by field at the top, with the
 * version that was read, so that nobody's change in between is lost. A version in the file is the one that its writer had read.
 */
export function changedObject(
  written: WrittenObject,
  stored: ApiObject,
  { statusSubresource }: ModelTraits,
): ApiObject {
  const { metadata, ...fields } = withoutStatus(written, statusSubresource)
  const { uid, version } = stored.metadata
  const kept = leftAlone.map((field) => [field, (stored.metadata as unknown as Fields)[field]] as const)
  const said = Object.entries(metadata).filter(([field]) => !owned.has(field) && metadata[field] !== null)
  const status = (stored as unknown as Fields)['status']
  return {
    ...(status !== undefined && { status }),
    ...fields,
    metadata: {
      ...Object.fromEntries([...kept, ...said].filter(([, value]) => value !== undefined)),
      uid: (metadata['uid'] ?? uid) as string,
      version: (metadata['version'] ?? version) as number,
    },
  } as unknown as ApiObject
}

type Fields = Readonly<Record<string, unknown>>

/** The object as a person would compare it. */
export function comparable(object: ApiObject): Fields {
  const { apiVersion: _, kind: __, metadata, ...fields } = object
  const said = Object.entries(metadata).filter(([field]) => !owned.has(field) && field !== 'name')
  return { ...fields, ...(said.length > 0 && { metadata: Object.fromEntries(said) }) }
}

function withoutStatus(written: WrittenObject, statusSubresource: boolean): WrittenObject {
  if (!statusSubresource) return written
  const { status: _, ...rest } = written
  return rest
}
