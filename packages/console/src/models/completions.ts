import { resolved, type Schema } from './schema.ts'

export interface Suggestion {
  readonly text: string
  readonly detail: string
}

/** Completions at the cursor: keys of the enclosing object, or values of the current key. */
export function completionsAt(whole: Schema, above: readonly string[], before: string): readonly Suggestion[] {
  const indent = indentOf(before)
  const here = schemaAround(whole, above, indent)
  const [, key] = /^[\s-]*([\w.-]+):\s+\S*$/.exec(before) ?? []
  if (key !== undefined) return valuesOf(resolved(here.properties?.[key], whole))
  return Object.entries(here.properties ?? {}).map(([name, schema]) => {
    const { type, description = '' } = resolved(schema, whole)
    const detail = [[type ?? []].flat().join(' or '), description.split('\n')[0] ?? ''].filter((part) => part !== '')
    return { text: `${name}:`, detail: detail.join(' · ') }
  })
}

function valuesOf(schema: Schema): readonly Suggestion[] {
  if (schema.enum) return schema.enum.map((value) => ({ text: String(value), detail: '' }))
  if (schema.type === 'boolean') return ['true', 'false'].map((text) => ({ text, detail: '' }))
  return []
}

/** Walks up to lines with less indent to find the keys, then down the schema along them. */
function schemaAround(whole: Schema, above: readonly string[], indent: number): Schema {
  const path: string[] = []
  let within = indent
  for (const line of above.toReversed()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue
    const at = indentOf(line)
    const [, key] = /^[\s-]*([\w.-]+):/.exec(line) ?? []
    if (at >= within || key === undefined) continue
    path.unshift(key)
    within = at
    // The key after a dash is indented deeper than the dash.
    if (/^\s*-\s/.test(line)) within = line.search(/\S/)
  }
  let schema = whole
  for (const key of path) {
    schema = resolved(schema.properties?.[key], whole)
    if (schema.items) schema = resolved(schema.items, whole)
  }
  return schema
}

function indentOf(line: string): number {
  return /^[\s]*(?:-\s+)*/.exec(line)?.[0].length ?? 0
}
