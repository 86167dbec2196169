import { ApiError } from '@pergola/api'
import { isJsonObject } from '../../../base/json-object.ts'
import { shortened } from '../../../base/shortened.ts'
import { fieldError } from '../../../call/field-error.ts'

export const maxPatchOperations = 1_000

/**
 * The steps of a JSON Pointer. The first step is the empty text before the first slash: the path starts at an object that holds
 * the document under an empty key, so the whole document is a location like any other.
 */
export type Steps = readonly string[]

interface AnyOperation {
  /** Position in the patch, from 0. */
  readonly number: number
  readonly path: Steps
}

export type PatchOperation =
  | (AnyOperation & { readonly op: 'add' | 'replace' | 'test'; readonly value: unknown })
  | (AnyOperation & { readonly op: 'move' | 'copy'; readonly from: Steps })
  | (AnyOperation & { readonly op: 'remove' })

const knownOps = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const satisfies readonly PatchOperation['op'][]

/** Parses a JSON Patch; finds every syntax error before any operation is applied. */
export function parsePatch(patch: unknown): readonly PatchOperation[] {
  if (!Array.isArray(patch)) throw noPatch('must be a JSON Patch: an array of operations')
  if (patch.length > maxPatchOperations) {
    throw noPatch(`has ${patch.length} operations; at most ${maxPatchOperations} are allowed`)
  }
  return patch.map(parseOperation)
}

/** Ignores unknown members, as RFC 6902 requires. */
function parseOperation(sent: unknown, number: number): PatchOperation {
  if (!isJsonObject(sent)) throw malformed(number, 'is no object; send { "op": ..., "path": ... }')
  const op = knownOps.find((known) => known === sent['op'])
  if (op === undefined) {
    throw malformed(number, `has the op ${shown(sent['op'])}; known are ${knownOps.join(', ')}`)
  }
  const path = parsePointer(sent, 'path', number)
  switch (op) {
    case 'remove':
      return { op, number, path }
    case 'move':
    case 'copy':
      return { op, number, path, from: parsePointer(sent, 'from', number) }
    default:
      if (!Object.hasOwn(sent, 'value')) throw malformed(number, `has no "value", which ${op} needs`)
      return { op, number, path, value: sent['value'] }
  }
}

function parsePointer(sent: Readonly<Record<string, unknown>>, member: 'path' | 'from', number: number): Steps {
  const pointer = sent[member]
  if (typeof pointer !== 'string') throw malformed(number, `has no "${member}", a JSON Pointer such as "/spec/title"`)
  if (pointer !== '' && !pointer.startsWith('/')) {
    throw malformed(number, `has the ${member} ${shown(pointer)}, which must be empty or begin with "/"`)
  }
  if (/~(?![01])/.test(pointer)) {
    throw malformed(number, `has the ${member} ${shown(pointer)}, where "~" must be written as "~0"`)
  }
  const steps = pointer.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (steps.includes('__proto__')) {
    throw malformed(number, `has the ${member} ${shown(pointer)}; "__proto__" is a key that no object may have`)
  }
  return steps
}

function noPatch(message: string): ApiError {
  return new ApiError('BadRequest', `the patch ${message}`, { errors: [fieldError('', 'patch', message)] })
}

function malformed(number: number, why: string): ApiError {
  const message = `operation ${number} ${why}`
  return new ApiError('BadRequest', `the patch cannot be understood: ${message}`, {
    errors: [fieldError(`/${number}`, 'patch', message)],
  })
}

function shown(value: unknown): string {
  return value === undefined ? '(none)' : shortened(JSON.stringify(value))
}
