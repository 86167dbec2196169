import type { ApiObject } from '@pergola/api'
import type { ModelTypes, Served } from './collection/served.ts'
import type { NewMetadata, NewObject, Patch, ResourceType } from './object-types.ts'
import { queryString } from './query.ts'
import { send, type CallOptions, type Connection } from './send.ts'

const path = '/apis/api.platform.run/v1alpha1/batches'

export interface BatchOptions extends CallOptions {
  /** Performs every check without storing the result. */
  readonly dryRun?: boolean | undefined
}

/** A model's value, or a model named by group, version and plural. */
export type BatchTarget = ResourceType & { readonly singular?: string }

/** The objects of a target. */
type ObjectOf<Of> =
  Of extends Served<infer Types extends ModelTypes>
    ? Types['object']
    : Of extends ResourceType<infer Stored>
      ? Stored
      : ApiObject

/** An object of a target to create. */
type CreatedOf<Of> =
  Of extends Served<infer Types extends ModelTypes>
    ? { readonly metadata?: NewMetadata; readonly spec: Types['create'] }
    : NewObject<ObjectOf<Of>>

/** One operation of a batch. `of` names the model. */
export type BatchOperation<Of = BatchTarget> =
  | { readonly verb: 'create'; readonly of: Of; readonly object: CreatedOf<Of> }
  /** Replaces the object. Fails when the object has changed since it was read. */
  | { readonly verb: 'update'; readonly of: Of; readonly object: ObjectOf<Of>; readonly subresource?: 'status' }
  | {
      readonly verb: 'patch'
      readonly of: Of
      readonly name: string
      readonly patch: Patch
      readonly subresource?: 'status'
    }
  | {
      readonly verb: 'delete'
      readonly of: Of
      readonly name: string
      /** Fails unless the stored object has this uid and version. */
      readonly expected?: { readonly uid?: string; readonly version?: number }
    }

/** The objects after the operations, in the same order. */
export type BatchResults<Of extends readonly BatchTarget[]> = { readonly [At in keyof Of]: ObjectOf<Of[At]> }

/**
 * Writes up to 100 objects in one transaction: all operations are stored, or none. Returns the objects in the order of the
 * operations. A rejected batch throws the `ApiError` of one operation; its `errors` point to `/operations/<index>`.
 */
export type Batch = <const Of extends readonly BatchTarget[]>(
  operations: { readonly [At in keyof Of]: BatchOperation<Of[At]> },
  options?: BatchOptions,
) => Promise<BatchResults<Of>>

export async function sendBatch(
  connection: Connection,
  operations: readonly BatchOperation[],
  { dryRun, ...options }: BatchOptions = {},
): Promise<readonly ApiObject[]> {
  const body = { operations: operations.map(toSent) }
  const call = { ...options, method: 'POST', path: `${path}${queryString([['dryRun', dryRun]])}`, body }
  const { results } = (await send(connection, call)) as { readonly results: readonly ApiObject[] }
  return results
}

/** Without a name, the server generates one that starts with the singular, if the model's value says it. */
function named({ metadata = {}, ...object }: NewObject<ApiObject>, { singular }: BatchTarget): object {
  const isNamed = metadata.name !== undefined || metadata.generateName !== undefined || singular === undefined
  return { ...object, metadata: isNamed ? metadata : { ...metadata, generateName: `${singular}-` } }
}

function toSent(operation: BatchOperation): object {
  const { verb, of } = operation
  const target = { verb, apiVersion: of.group === '' ? of.version : `${of.group}/${of.version}`, resource: of.plural }
  switch (operation.verb) {
    case 'create':
      return { ...target, object: named(operation.object, of) }
    case 'update': {
      const { object, subresource } = operation
      return { ...target, name: object.metadata.name, subresource, object }
    }
    case 'patch': {
      const { name, patch, subresource } = operation
      const patchType = `application/${Array.isArray(patch) ? 'json' : 'merge'}-patch+json`
      return { ...target, name, subresource, patchType, object: patch }
    }
    case 'delete': {
      const { name, expected } = operation
      return { ...target, name, ...(expected && { object: { metadata: expected } }) }
    }
  }
}
