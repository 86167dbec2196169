import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../schema-at.ts'

/** A field that was changed on the server while it was edited. */
interface ForeignChange {
  readonly path: readonly string[]
  readonly before: unknown
  readonly now: unknown
  /** Whether the edited text changes the field too, to something else. */
  readonly isConflict: boolean
}

export interface Merged {
  readonly value: unknown
  readonly foreign: readonly ForeignChange[]
}

/** Applies the changes of both sides to an object. Where both changed a field, the result has that of the edited text. */
export function mergeChanges(
  sides: { readonly base: unknown; readonly edited: unknown; readonly stored: unknown },
  path: readonly string[] = [],
): Merged {
  const { base, edited, stored } = sides
  if (isDeepStrictEqual(base, stored) || isDeepStrictEqual(edited, stored)) return { value: edited, foreign: [] }
  if (isObject(edited) && isObject(stored))
    return mergeFields({ base: isObject(base) ? base : {}, edited, stored }, path)
  const isConflict = !isDeepStrictEqual(base, edited)
  return { value: isConflict ? edited : stored, foreign: [{ path, before: base, now: stored, isConflict }] }
}

type Fields = Readonly<Record<string, unknown>>

function mergeFields(
  { base, edited, stored }: { readonly base: Fields; readonly edited: Fields; readonly stored: Fields },
  path: readonly string[],
): Merged {
  const names = [...new Set([...Object.keys(edited), ...Object.keys(stored)])]
  const merged = names.map((name) => ({
    name,
    ...mergeChanges({ base: base[name], edited: edited[name], stored: stored[name] }, [...path, name]),
  }))
  const fields = merged.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value] as const)
  return { value: Object.fromEntries(fields), foreign: merged.flatMap(({ foreign }) => foreign) }
}
