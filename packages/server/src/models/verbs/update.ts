import { ApiError } from '@pergola/api'
import { objectNotFound } from '../../call/not-found.ts'
import { deepEqual } from '../../base/deep-equal.ts'
import { isJsonObject } from '../../base/json-object.ts'
import { isStale, retryRaces } from '../../store/retry-races.ts'
import type { StoredObject, UpdatedContent } from '../../store/store.ts'
import { fieldError } from '../../call/field-error.ts'
import { metadataErrors } from '../../validation/metadata.ts'
import { accept, prepared, readObject, refuseInvalid } from './accept.ts'
import { writeAccompanied } from './accompanied-write.ts'
import type { WriteParts, WriteRequest } from './create.ts'
import { assertMatches, type Preconditions } from './etag.ts'
import type { Model, WriteContext } from '../model.ts'
import { withoutStatus, withStatus, type JsonObject } from '../object.ts'
import { fromData, clientMetadata, toData } from '../object-bytes.ts'
import { assertOwned, changedByOwner, type OwnerScope } from './owner-scope.ts'
import { uidConflict, versionConflict, writeProblem } from './write-errors.ts'

export interface UpdateRequest extends Omit<WriteRequest, 'body'>, Preconditions {
  readonly name: string
  readonly verb?: 'update' | 'patch'
  readonly scope?: OwnerScope | undefined
  /** Defaults to the whole object. */
  readonly part?: 'object' | 'status'
  /** Computes the body from the stored object: constant for an update, computed again for each attempt of a patch. */
  readonly bodyFor: (stored: StoredObject) => unknown
}

/** Reads, changes and writes the object. Retries after a conflict unless the client stated the version that it read. */
export async function updateObject({ store }: WriteParts, model: Model, request: UpdateRequest): Promise<StoredObject> {
  const { name, dryRun = false } = request
  let stored = await store.get(model, name)
  const updateOnce = async () => {
    if (!stored) throw objectNotFound(model.singular, name)
    const { content, newGeneration, object: after, before, context } = await changeOf(model, stored, request)
    const { uid, version } = stored
    const operation = { type: 'update' as const, model, name, expected: { uid, version }, content, newGeneration }
    const kept = isRemovedBy(stored, content) ? {} : { after }
    const written = { operation, change: { name, uid, before, ...kept }, context, dryRun }
    const result = await writeAccompanied(store, model, written)
    if (!dryRun && result.outcome !== 'unchanged') await model.rules.afterWrite?.(after)
    return result.object
  }
  try {
    return await retryRaces(updateOnce, (error) => {
      if (!isStale(error)) return false
      // The next attempt compares with the newly stored object: a client that stated a version or tag then gets the conflict, others
      // are retried.
      stored = error.stored
      return true
    })
  } catch (error) {
    throw writeProblem(error, model)
  }
}

/** Removing the last finalizer of an object that is declared deleted removes the object. */
export function isRemovedBy({ deletedAt }: StoredObject, { held }: UpdatedContent): boolean {
  return deletedAt !== undefined && !held
}

export interface ChangedObject {
  readonly object: JsonObject
  readonly content: UpdatedContent
  readonly newGeneration: boolean
  readonly before: JsonObject
  readonly context: WriteContext
}

/** Validates an update and returns the resulting object. */
export async function changeOf(model: Model, stored: StoredObject, request: UpdateRequest): Promise<ChangedObject> {
  const what = `${model.singular} "${stored.name}"`
  assertOwned(model, stored, request.scope)
  assertMatches(request, stored, what)
  const before = fromData(stored.data)
  const { caller, store, declaredBy, mayRefer, scope, verb = 'update', part = 'object' } = request
  const body = request.bodyFor(stored)
  const sent = readObject(model, scope ? changedByOwner(model, { body, stored: before, verb }, scope) : body)
  if (!isJsonObject(sent.metadata)) refuseInvalid(model, metadataErrors(sent.metadata))
  assertSame(model, stored, sent)
  const context: WriteContext & { readonly stored: JsonObject; readonly uid: string } = {
    stored: before,
    uid: stored.uid,
    verb,
    ...(caller && { caller }),
    ...(store && { store }),
    ...(declaredBy !== undefined && { declaredBy }),
    ...(mayRefer && { mayRefer }),
  }
  const object = await prepared(model, merged(model, { stored, before, sent, part }), context)
  refuseNewFinalizers(model, stored, { before, object })

  const { metadata: _, ...fields } = object
  const { metadata: __, ...fieldsBefore } = before
  const checked = part === 'status' ? 'status' : deepEqual(fields, fieldsBefore) ? 'nothing' : 'all'
  const asksOthers = model.indexes.some((index) => index.evaluated)
  const isSettled = keepsIndexed(model, request) || (asksOthers && changesFinalizersAlone(before, object))
  const indexed = await accept(model, object, { ...context, checked, isSettled })
  // Sealed last, after defaults have been filled in.
  const kept = model.rules.sealing?.seal(object, context) ?? object
  const owned = { ...kept, metadata: clientMetadata(kept.metadata) }
  const isSame = deepEqual(owned, { ...before, metadata: clientMetadata(before.metadata) })
  const held = (object.metadata.finalizers ?? []).length > 0
  const content = { data: isSame ? stored.data : toData(kept), storedAs: model.version, held, edition: model.edition }
  return {
    object: kept,
    before,
    context,
    content: { ...content, indexed: isSettled || isSame ? 'kept' : indexed },
    newGeneration: !deepEqual(withoutStatus(kept), withoutStatus(before)),
  }
}

/** Removing finalizers must not wait for a plugin's check. */
function changesFinalizersAlone(before: JsonObject, object: JsonObject): boolean {
  const { finalizers: _, ...metadata } = clientMetadata(object.metadata)
  const { finalizers: __, ...metadataBefore } = clientMetadata(before.metadata)
  return deepEqual({ ...object, metadata }, { ...before, metadata: metadataBefore })
}

/** A status update cannot change indexed values when no index is on the status. */
function keepsIndexed({ indexes }: Model, { part }: UpdateRequest): boolean {
  return part === 'status' && !indexes.some(({ ofStatus }) => ofStatus)
}

/** Throws when the client states a name, uid or version other than the stored one. */
export function assertSame(model: Model, stored: StoredObject, { metadata }: { readonly metadata: unknown }): void {
  const { name, uid, version } = metadata as { name?: unknown; uid?: unknown; version?: unknown }
  if (name !== undefined && name !== stored.name) {
    const message = `the path names ${model.singular} "${stored.name}", the body ${JSON.stringify(name)}; an object cannot be renamed`
    throw new ApiError('BadRequest', message, {
      errors: [
        fieldError('/metadata/name', 'immutable', {
          message,
          params: { stored: stored.name, sent: typeof name === 'string' ? name : JSON.stringify(name) },
        }),
      ],
    })
  }
  // The type of an object never changes, so a retry, which a conflict suggests, would not help.
  refuseInvalid(model, [
    ...(version === undefined || Number.isInteger(version)
      ? []
      : [fieldError('/metadata/version', 'type', { message: 'must be an integer', params: { type: 'integer' } })]),
    ...(uid === undefined || typeof uid === 'string'
      ? []
      : [fieldError('/metadata/uid', 'type', { message: 'must be a string', params: { type: 'string' } })]),
  ])
  if (typeof uid === 'string' && uid !== stored.uid) throw uidConflict(model, stored, uid)
  if (version !== undefined && version !== stored.version) throw versionConflict(model, stored, version)
}

interface Parts {
  readonly stored: StoredObject
  readonly before: JsonObject
  readonly sent: JsonObject
  readonly part: 'object' | 'status'
}

/** Takes the written part from the body and the rest from the stored object. */
function merged(model: Model, { stored, before, sent, part }: Parts): JsonObject {
  const named = (object: JsonObject) => {
    const { metadata } = object
    // Metadata that is not an object stays as sent, to be refused: spreading a number or null would look like empty metadata.
    return isJsonObject(metadata) ? { ...object, metadata: { ...metadata, name: stored.name } } : object
  }
  if (part === 'status') return named(withStatus(before, sent['status']))
  return model.statusSubresource ? named(withStatus(sent, before['status'])) : named(sent)
}

function refuseNewFinalizers(
  model: Model,
  stored: StoredObject,
  { before, object }: { readonly before: JsonObject; readonly object: JsonObject },
): void {
  if (stored.deletedAt === undefined || !Array.isArray(object.metadata?.finalizers)) return
  const old = before.metadata.finalizers ?? []
  const errors = object.metadata.finalizers.flatMap((finalizer, at) =>
    old.includes(finalizer)
      ? []
      : [
          fieldError(`/metadata/finalizers/${at}`, 'finalizer', {
            message: 'cannot be added: the object is being deleted',
            params: { fault: 'deleting' },
          }),
        ],
  )
  refuseInvalid(model, errors)
}
