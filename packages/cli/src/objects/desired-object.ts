import type { ApiObject, NewObject } from '@pergola/client'
import type { WrittenObject } from './read-documents.ts'

/** Server-owned metadata. */
const owned = new Set(['uid', 'version', 'generation', 'creationTimestamp', 'deletionTimestamp'])
/** Metadata that stays unchanged unless the file contains it, because others write it too. */
const leftAlone = ['labels', 'annotations', 'finalizers']

export interface ModelTraits {
  /** With a status sub-resource, writes of the object ignore its status. */
  readonly statusSubresource: boolean
}

/** Builds an object to create, without server-owned fields that the file may contain. */
export function newObject(written: WrittenObject, { statusSubresource }: ModelTraits): NewObject<ApiObject> {
  const { metadata, ...fields } = withoutStatus(written, statusSubresource)
  const kept = Object.entries(metadata).filter(([field]) => !owned.has(field))
  return { ...fields, metadata: Object.fromEntries(kept) }
}

/**
 * Builds the update of a stored object: top-level fields of the file replace stored ones. Sends the version that was read, so
 * that no concurrent change is lost; a version in the file takes precedence.
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

/** The fields that are compared: without type, name and server-owned metadata. */
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
