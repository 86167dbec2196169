import { declarerKey, reservedKeyFault, type FieldError } from '@pergola/api'
import { fieldError, step } from '../call/field-error.ts'
import type { SentMetadata } from './metadata.ts'

/** Finalizers that a plugin adds without one of its groups as prefix; those of others may stay. */
export function foreignFinalizerErrors(
  groups: readonly string[],
  metadata: SentMetadata,
  stored: SentMetadata | undefined,
): readonly FieldError[] {
  return (metadata.finalizers ?? []).flatMap((finalizer, at) => {
    const isOwn = groups.some((group) => finalizer.startsWith(`${group}/`))
    if (isOwn || stored?.finalizers?.includes(finalizer)) return []
    const message = `of a plugin begins with one of its groups: ${groups.map((group) => `${group}/`).join(', ')}`
    return [fieldError(`/metadata/finalizers/${at}`, 'reserved', message)]
  })
}

/** Reserved keys that a plugin adds or changes; those written by others may stay, and so may those with a meaning here. */
export function reservedKeyErrors(
  metadata: SentMetadata,
  stored: SentMetadata | undefined,
  hasMeaning: (key: string) => boolean = () => false,
): readonly FieldError[] {
  return (['labels', 'annotations'] as const).flatMap((field) =>
    Object.entries(metadata[field] ?? {}).flatMap(([key, value]) => {
      const isKept = stored?.[field]?.[key] === value || key === declarerKey || hasMeaning(key)
      const fault = isKept ? undefined : reservedKeyFault(key)
      return fault === undefined ? [] : [fieldError(step(`/metadata/${field}`, key), 'reserved', fault)]
    }),
  )
}
