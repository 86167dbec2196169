import { declarerKey, reservedKeyFault, type FieldError } from '@pergola/api'
import { fieldError, step } from '../base/field-error.ts'
import type { SentMetadata } from './metadata.ts'

/** Reserved keys that a plugin adds or changes; those written by others may stay. */
export function reservedKeyErrors(metadata: SentMetadata, stored: SentMetadata | undefined): readonly FieldError[] {
  return (['labels', 'annotations'] as const).flatMap((field) =>
    Object.entries(metadata[field] ?? {}).flatMap(([key, value]) => {
      const isKept = stored?.[field]?.[key] === value || key === declarerKey
      const fault = isKept ? undefined : reservedKeyFault(key)
      return fault === undefined ? [] : [fieldError(step(`/metadata/${field}`, key), 'reserved', fault)]
    }),
  )
}
