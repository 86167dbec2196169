import { ApiError, isApiError } from '@pergola/api'
import type { StoredObject, WriteOperation } from '../store/store.ts'
import { WriteConflict, type DuplicateValue } from '../store/write-conflict.ts'
import { fieldError } from '../base/field-error.ts'
import { etagOf } from './etag.ts'
import type { Model } from './model.ts'
import { fromData } from './object-bytes.ts'

/** The one place where a conflict in the store gets the words and the reason that clients see. Others pass unchanged. */
export function writeProblem(error: unknown, model: Model): unknown {
  if (!(error instanceof WriteConflict)) return error
  const { kind, operation, duplicate, stored } = error
  const what = `${model.singular} "${operation.name}"`
  switch (kind) {
    case 'exists':
      return new ApiError('AlreadyExists', `${what} exists already; choose another name`, {
        cause: error,
        errors: [fieldError('/metadata/name', 'exists', 'is taken; choose another one')],
      })
    case 'duplicate': {
      const holder = duplicate?.holder === undefined ? '' : ` by "${duplicate.holder}"`
      const taken = `the value ${JSON.stringify(duplicate?.value)} of ${duplicate?.index} is taken`
      const pointer = duplicate ? pointerOf(model, operation, duplicate) : ''
      return new ApiError('DuplicateIndexValue', `${what}: ${taken}${holder}`, {
        cause: error,
        errors: [{ ...fieldError(pointer, 'unique', `is taken${holder}`), params: { index: duplicate?.index } }],
      })
    }
    case 'missing':
      return new ApiError('NotFound', `there is no ${what}`, { cause: error })
    case 'version':
    case 'uid':
      return stored ? versionConflict(model, stored) : error
  }
}

/** Where the value stands in what was sent; nowhere, when it was not the host that found it there. */
function pointerOf({ indexes }: Model, operation: WriteOperation, { index: name, value }: DuplicateValue): string {
  const index = indexes.find((candidate) => candidate.name === name)
  if (!index || operation.type === 'delete') return ''
  const found = index.valuesOf(fromData(operation.content.data))
  return (found.find((one) => String(one.value) === value) ?? found[0])?.pointer ?? ''
}

/** The object that holds the value which somebody else wanted, where the error names it. */
export function holderIn(error: unknown): string | undefined {
  const cause = isApiError(error) ? error.cause : undefined
  return cause instanceof WriteConflict ? cause.duplicate?.holder : undefined
}

/** The same for whoever may not know of the holder. */
export function withoutHolder(error: unknown, model: Model): unknown {
  const cause = isApiError(error) ? error.cause : undefined
  if (!(cause instanceof WriteConflict) || !cause.duplicate) return error
  const { holder: _, ...duplicate } = cause.duplicate
  return writeProblem(new WriteConflict(cause.kind, cause.operation, { duplicate }), model)
}

/** With what is stored now, as a tag too, so that a client can go on from it. */
export function versionConflict(model: Model, stored: StoredObject, sent?: unknown): ApiError {
  const what = `${model.singular} "${stored.name}"`
  const carries = typeof sent === 'number' && sent !== stored.version ? `, the update carries ${sent}` : ''
  const detail =
    carries === ''
      ? `${what} has changed meanwhile and is at version ${stored.version}`
      : `${what} is at version ${stored.version}${carries}`
  const field = fieldError('/metadata/version', 'version', `is ${stored.version} by now`)
  return new ApiError('VersionConflict', `${detail}; read it again and retry`, {
    headers: { etag: etagOf(stored) },
    errors: [{ ...field, params: { stored: stored.version } }],
  })
}
