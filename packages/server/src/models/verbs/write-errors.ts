import { ApiError, isApiError } from '@pergola/api'
import { indexKey, valueOfKey } from '../../store/index-key.ts'
import type { StoredObject, WriteOperation } from '../../store/store.ts'
import { WriteConflict, type DuplicateValue } from '../../store/write-conflict.ts'
import { fieldError } from '../../call/field-error.ts'
import { etagOf } from './etag.ts'
import type { Model, ModelIndex } from '../model.ts'
import { fromData } from '../object-bytes.ts'
import { missingTarget } from '../references.ts'
import { invalidBody } from '../../validation/refuse-body.ts'

/** The only place that turns a conflict of the store into the reason and text for clients. Other errors pass unchanged. */
export function writeProblem(error: unknown, model: Model): unknown {
  if (!(error instanceof WriteConflict)) return error
  const { kind, operation, duplicate, stored } = error
  const what = `${model.singular} "${operation.name}"`
  const params = { kind: model.singular, name: operation.name }
  switch (kind) {
    case 'exists':
      if (model.rules.derivesName) {
        return new ApiError('AlreadyExists', `${what} exists already; change it with PUT or PATCH`, {
          cause: error,
          params,
        })
      }
      return new ApiError('AlreadyExists', `${what} exists already; choose another name`, {
        cause: error,
        params,
        errors: [
          fieldError('/metadata/name', 'exists', {
            message: 'is taken; choose another one',
            params: { fault: 'taken', ...params },
          }),
        ],
      })
    case 'duplicate': {
      const holder = duplicate?.holder === undefined ? '' : ` by "${duplicate.holder}"`
      const value = duplicate ? shownValue(model, duplicate) : ''
      const taken = `the value ${value} of ${duplicate?.index} is taken`
      const known = {
        ...(duplicate && { index: duplicate.index }),
        ...(duplicate?.holder !== undefined && { holder: duplicate.holder }),
      }
      const pointer = duplicate ? pointerOf(model, operation, duplicate) : ''
      return new ApiError('DuplicateIndexValue', `${what}: ${taken}${holder}`, {
        cause: error,
        params: { ...params, value, ...known },
        errors: [fieldError(pointer, 'unique', { message: `is taken${holder}`, params: known })],
      })
    }
    case 'missing':
      return new ApiError('NotFound', `there is no ${what}`, { cause: error, params })
    case 'target': {
      const missing =
        error.target && operation.type !== 'delete' ? [missingTarget(model, operation.content.data, error.target)] : []
      return invalidBody(`the ${model.singular}`, missing)
    }
    case 'referred':
      return new ApiError('InUse', `other objects refer to ${what}`, { cause: error, params })
    case 'version':
    case 'uid':
      return stored ? versionConflict(model, stored) : error
  }
}

function shownValue({ indexes }: Model, { index: name, value = '' }: DuplicateValue): string {
  const { type = 'string' } = indexes.find((candidate) => candidate.name === name) ?? {}
  return JSON.stringify(valueOfKey(type, value))
}

/** The pointer of the duplicate value in the sent object; empty when a plugin computed the value. */
function pointerOf({ indexes }: Model, operation: WriteOperation, { index: name, value: key }: DuplicateValue): string {
  const index = indexes.find((candidate) => candidate.name === name)
  if (!index || operation.type === 'delete') return ''
  const found = index.valuesOf(fromData(operation.content.data))
  return (found.find(({ value }) => isKeyOf(index, value, key)) ?? found[0])?.pointer ?? ''
}

function isKeyOf({ type }: ModelIndex, value: unknown, key: string | undefined): boolean {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return false
  const made = indexKey(type, value)
  return 'key' in made && made.key === key
}

/** The name of the object that already has a unique value, if the error tells it. */
export function holderIn(error: unknown): string | undefined {
  const cause = isApiError(error) ? error.cause : undefined
  return cause instanceof WriteConflict ? cause.duplicate?.holder : undefined
}

/** The same error without the holder's name, for callers who may not know that object. */
export function withoutHolder(error: unknown, model: Model): unknown {
  const cause = isApiError(error) ? error.cause : undefined
  if (!(cause instanceof WriteConflict) || !cause.duplicate) return error
  const { holder: _, ...duplicate } = cause.duplicate
  return writeProblem(new WriteConflict(cause.kind, cause.operation, { duplicate }), model)
}

/** Includes the stored uid, version and tag, so that a client can continue from there. */
export function versionConflict(model: Model, stored: StoredObject, sent?: unknown): ApiError {
  const what = `${model.singular} "${stored.name}"`
  const carries = typeof sent === 'number' && sent !== stored.version ? `, the update carries ${sent}` : ''
  const detail =
    carries === ''
      ? `${what} has changed meanwhile and is at version ${stored.version}`
      : `${what} is at version ${stored.version}${carries}`
  const field = fieldError('/metadata/version', 'version', {
    message: `is ${stored.version} by now`,
    params: { stored: stored.version },
  })
  const params = { kind: model.singular, name: stored.name, version: stored.version }
  return new ApiError('VersionConflict', `${detail}; read it again and retry`, {
    headers: { etag: etagOf(stored) },
    params: carries === '' ? params : { ...params, sent: Number(sent) },
    errors: [field],
    stored: { uid: stored.uid, version: stored.version },
  })
}

/** The named object was deleted and another one was created under its name. */
export function uidConflict(model: Model, stored: StoredObject, sent: string): ApiError {
  const what = `the name "${stored.name}" belongs to another ${model.singular} now`
  const field = fieldError('/metadata/uid', 'uid', {
    message: `is ${stored.uid}: the name belongs to another object now`,
    params: { stored: stored.uid },
  })
  return new ApiError('VersionConflict', `${what}: its uid is ${stored.uid}, the request has ${sent}; read it again`, {
    headers: { etag: etagOf(stored) },
    params: { kind: model.singular, name: stored.name, uid: stored.uid, sent },
    errors: [field],
    stored: { uid: stored.uid, version: stored.version },
  })
}
