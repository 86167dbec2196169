import type { StoredObject, WriteOperation } from './store.ts'

/** Why a write could not be done; the layer that knows the model turns it into an answer. */
export type ConflictKind =
  | 'exists'
  | 'missing'
  | 'version'
  | 'uid'
  | 'duplicate'
  /** A value names an object that does not exist or is being deleted. */
  | 'target'
  /** Another object has the name of the object to be deleted as a value. */
  | 'referred'

export class WriteConflict extends Error {
  override readonly name = 'WriteConflict'
  readonly kind: ConflictKind
  readonly operation: WriteOperation
  /** The object as stored now, for `version` and `uid`. */
  readonly stored: StoredObject | undefined
  /** The unique index, the key of the duplicate value and, if found, the name of the object that has it. */
  readonly duplicate: DuplicateValue | undefined
  /** For `target`: the first such value. */
  readonly target: TargetValue | undefined

  constructor(kind: ConflictKind, operation: WriteOperation, details: ConflictDetails = {}) {
    super(`${operation.type} of ${operation.model.plural} "${operation.name}": ${kind}`)
    this.kind = kind
    this.operation = operation
    this.stored = details.stored
    this.duplicate = details.duplicate
    this.target = details.target
  }
}

export interface TargetValue {
  readonly index: string
  readonly name: string
}

export interface DuplicateValue {
  readonly index: string
  /** An index key. */
  readonly value?: string
  readonly holder?: string
}

interface ConflictDetails {
  readonly stored?: StoredObject
  readonly duplicate?: DuplicateValue
  readonly target?: TargetValue
}
