import { usedWrongly } from '../terminal/command-fault.ts'
import type { ReadSchema } from './read-schema.ts'
import { schemaAt } from './schema-at.ts'
import { textValue } from './text-value.ts'
import { withValue } from './with-value.ts'

export interface FieldWords {
  /** `spec.state=done` each. */
  readonly set: readonly string[]
  /** Paths of fields. */
  readonly remove: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

/** Builds a merge patch. A field of the spec may be written without `spec.`. */
export function fieldPatch({ set, remove }: FieldWords, { schema, follow }: ReadSchema): Fields {
  const pathOf = (text: string): readonly string[] => {
    const path = text.split(/(?<!\\)\./).map((step) => step.replaceAll('\\.', '.'))
    if (path.some((step) => step === '' || /\[\d*\]$/.test(step))) {
      throw usedWrongly(
        `"${text}" is not the path of a field; write spec.state, or use -p with a JSON Patch for items of a list`,
      )
    }
    const isOfSpec =
      !schemaAt(schema, path.slice(0, 1), follow) && schemaAt(schema, ['spec', ...path.slice(0, 1)], follow)
    return isOfSpec ? ['spec', ...path] : path
  }
  const changes = set.map((term) => {
    const at = term.indexOf('=')
    if (at < 1) throw usedWrongly(`--set takes field=value, such as spec.state=done; not "${term}"`)
    const path = pathOf(term.slice(0, at))
    return { path, value: textValue(term.slice(at + 1), schemaAt(schema, path, follow) ?? {}, follow) }
  })
  const removals = remove.map((text) => ({ path: pathOf(text), value: null }))
  return [...changes, ...removals].reduce<Fields>((patch, { path, value }) => withValue(patch, path, value), {})
}
