import { ApiError, type Reason } from '@pergola/api'
import { cloneJson } from '../../../base/clone-json.ts'
import { deepEqual } from '../../../base/deep-equal.ts'
import { isJsonObject } from '../../../base/json-object.ts'
import { shortened } from '../../../base/shortened.ts'
import { fieldError, step } from '../../../call/field-error.ts'
import { maxJsonDepth } from '../../../validation/json-scanner.ts'
import { parsePatch, type PatchOperation, type Steps } from './patch-operation.ts'

/**
 * Maximum total that all operations of a patch may insert into an object, in characters of JSON. A copy can double the object,
 * so 30 copies would make gigabytes. Removals return nothing to the budget: it bounds the work as well as the size.
 */
export const maxPutLength = 4 * 1024 * 1024

/** Holds the document under the empty key. */
type Root = Record<string, unknown>

interface Work {
  readonly root: Root
  readonly maxDepth: number
  /** Remaining budget, in characters of JSON. */
  room: number
}

/** RFC 6902: applies all operations or none, to a copy. The result shares nothing with target or patch. */
export function jsonPatch(target: unknown, patch: unknown, maxDepth = maxJsonDepth): unknown {
  const operations = parsePatch(patch)
  const work: Work = { root: { '': cloneJson(target) }, maxDepth, room: maxPutLength }
  for (const operation of operations) apply(work, operation)
  const document = work.root['']
  // Depth is checked once at the end: measuring each move would walk a large value every time.
  if (jsonLength(document, maxDepth) === Infinity) {
    const message = `would nest the object deeper than ${maxDepth} levels`
    throw new ApiError('Invalid', `the patch ${message}`, { errors: [fieldError('', 'patch', message)] })
  }
  return document
}

/** Throws when a patch reads a sealed field, or the whole object: it is applied to the sealed values. */
export function refuseReading(patch: unknown, field: string): void {
  for (const operation of parsePatch(patch)) {
    const { op, path } = operation
    const source = op === 'test' ? path : 'from' in operation ? operation.from : undefined
    const reads = source !== undefined && (source.length === 1 || source[1] === field)
    // Below a key of the field there are only texts.
    const entersValue = path[1] === field && path.length > 3
    if (reads || entersValue) throw failed(operation, `cannot read /${field}: only get returns the ${field}`)
  }
}

function apply(work: Work, operation: PatchOperation): void {
  const { root } = work
  switch (operation.op) {
    case 'add':
      return insert(root, operation, copyOf(work, operation, operation.value))
    case 'remove':
      return remove(root, operation, operation.path)
    case 'replace':
      find(root, operation, operation.path)
      return set(holderOf(root, operation.path), lastOf(operation.path), copyOf(work, operation, operation.value))
    case 'move':
      return move(root, operation)
    case 'copy':
      return insert(root, operation, copyOf(work, operation, find(root, operation, operation.from)))
    case 'test':
      return test(root, operation, operation.value)
  }
}

function move(root: Root, operation: PatchOperation & { readonly from: Steps }): void {
  const { from, path } = operation
  const value = find(root, operation, from)
  if (from.every((key, at) => key === path[at])) {
    if (from.length === path.length) return
    throw failed(operation, `cannot move ${pointerOf(from)} into itself`)
  }
  remove(root, operation, from)
  insert(root, operation, value)
}

function test(root: Root, operation: PatchOperation, expected: unknown): void {
  const found = find(root, operation, operation.path)
  if (!deepEqual(found, expected))
    throw failed(
      operation,
      `found ${shown(found)}, not ${shown(expected)}; read the object again`,
      'PreconditionFailed',
    )
}

/** Adds a key or an item at the path. Replaces the value in an object; shifts the following items in an array. */
function insert(root: Root, operation: PatchOperation, value: unknown): void {
  const { path } = operation
  const holder = find(root, operation, path.slice(0, -1))
  const key = lastOf(path)
  if (isJsonObject(holder)) return set(holder, key, value)
  if (!Array.isArray(holder)) throw failed(operation, `cannot add to ${shown(holder)}, no object or array`)
  const index = key === '-' ? holder.length : indexOf(key)
  if (index === undefined) throw failed(operation, 'must end with an index or "-", because it adds to an array')
  if (index > holder.length) throw failed(operation, `is beyond the end of an array of ${holder.length}`)
  holder.splice(index, 0, value)
}

function remove(root: Root, operation: PatchOperation, path: Steps): void {
  find(root, operation, path)
  const holder = holderOf(root, path)
  if (holder === root) throw failed(operation, 'would leave nothing; delete the object instead')
  if (Array.isArray(holder)) holder.splice(Number(lastOf(path)), 1)
  else if (isJsonObject(holder)) delete holder[lastOf(path)]
}

/** The value at a path that must exist. */
function find(root: Root, operation: PatchOperation, path: Steps): unknown {
  const found = path.reduce<unknown>(child, root)
  if (found === undefined) throw failed(operation, nothingAt(root, path))
  return found
}

/** Reads own keys only; undefined means missing, as JSON has no undefined. */
function child(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value[indexOf(key) ?? -1] as unknown
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

function holderOf(root: Root, path: Steps): unknown {
  return path.slice(0, -1).reduce<unknown>(child, root)
}

function lastOf(path: Steps): string {
  return path.at(-1) ?? ''
}

function indexOf(key: string): number | undefined {
  return /^(?:0|[1-9]\d*)$/.test(key) ? Number(key) : undefined
}

/** Defined instead of assigned: an assignment may call a setter of the prototype. */
function set(holder: unknown, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })
}

/** A deep copy, charged to the budget first. */
function copyOf(work: Work, operation: PatchOperation, value: unknown): unknown {
  work.room -= jsonLength(value, work.maxDepth)
  if (work.room >= 0) return cloneJson(value)
  throw failed(operation, `puts more than ${maxPutLength} characters or ${work.maxDepth} levels into the object`)
}

/** The number of characters of a value as JSON, without escapes; Infinity when it nests deeper than `levels`. */
function jsonLength(value: unknown, levels: number): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return String(value).length
  if (levels === 0) return Infinity
  let length = 2
  if (Array.isArray(value)) for (const item of value) length += 1 + jsonLength(item, levels - 1)
  else for (const [key, item] of Object.entries(value)) length += key.length + 4 + jsonLength(item, levels - 1)
  return length
}

function nothingAt(root: Root, path: Steps): string {
  let value: unknown = root
  let known = 0
  while (value !== undefined && known < path.length) value = child(value, path[known++] ?? '')
  return `finds nothing at ${pointerOf(path.slice(0, known))}`
}

function failed(operation: PatchOperation, why: string, reason: Reason = 'Invalid'): ApiError {
  const { number, op, path } = operation
  const message = `operation ${number} (${op} ${pointerOf(path)}) ${why}`
  return new ApiError(reason, `the patch cannot be applied: ${message}`, {
    errors: [fieldError(`/${number}`, 'patch', message)],
  })
}

function pointerOf([, ...steps]: Steps): string {
  return shortened(steps.reduce(step, '')) || '""'
}

function shown(value: unknown): string {
  if (jsonLength(value, maxJsonDepth) === Infinity) return `a value deeper than ${maxJsonDepth} levels`
  return shortened(JSON.stringify(value))
}
