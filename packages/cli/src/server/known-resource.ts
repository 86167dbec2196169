import type { ModelDisplay, ReferenceTarget } from '@pergola/api'

export interface ResourceIndex {
  readonly name: string
  readonly type: string
  readonly multi: boolean
  readonly unique?: boolean
  readonly order?: 'ASC' | 'DESC'
  /** The model whose objects the values name. */
  readonly refersTo?: ReferenceTarget
}

/** A model from discovery. */
export interface KnownResource {
  readonly group: string
  readonly version: string
  /** Path of the group and version. */
  readonly path: string
  readonly kind: string
  readonly singular: string
  readonly plural: string
  readonly statusSubresource: boolean
  /** All verbs of the model; the caller may lack the right to some. */
  readonly verbs?: readonly string[]
  readonly indexes: readonly ResourceIndex[]
  readonly display?: ModelDisplay
}
