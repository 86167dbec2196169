import { shortened } from '../terminal/visible.ts'
import { jsonPath, type JsonPath } from './json-path.ts'
import { cellText, headOf, type Column } from './list-columns.ts'
import type { ReadSchema } from './read-schema.ts'
import { isObject, resolveSchema, schemaAt } from './schema-at.ts'

const typeAndMetadata = new Set(['apiVersion', 'kind', 'metadata'])

/** A column that somebody named: `spec.due`, `due`, or `DUE:.spec.due`. */
export interface FieldColumn {
  readonly head: string
  /** The path as in the schema; the heading of a CSV. */
  readonly path: string
  readonly find: JsonPath
}

/** Parses the paths of `-o columns=` and `-o csv=`. */
export function fieldColumns(text: string, { schema, follow }: ReadSchema): readonly FieldColumn[] {
  return splitPaths(text).map((word) => {
    const [, head, written = ''] = /^(?:([^:.[$]*):)?(.*)$/s.exec(word) ?? []
    const plain = written.replace(/^\$?\./, '')
    const [first = ''] = plain.split(/[.[]/)
    const isOfSpec = !schemaAt(schema, [first], follow) && schemaAt(schema, ['spec', first], follow) !== undefined
    const path = isOfSpec ? `spec.${plain}` : plain
    return { head: head ?? headOf(path, {}), path, find: jsonPath(path) }
  })
}

/** Commas inside of brackets belong to a path. */
function splitPaths(text: string): readonly string[] {
  return (text.match(/(?:\[[^\]]*\]|[^,[])+/g) ?? []).map((word) => word.trim())
}

export function asTableColumn({ head, find }: FieldColumn): Column {
  return { head, cellOf: (object) => shortened(find(object).map(cellText).join(', '), 200) }
}

/** One value for a cell of a CSV; several become a list. */
export function csvValue({ find }: FieldColumn, object: unknown): unknown {
  const found = find(object)
  return found.length > 1 ? found : found[0]
}

/** Paths of all fields that hold a value, outside of the metadata, in the order of the schema. */
export function leafPaths({ schema, follow }: ReadSchema): readonly string[] {
  const below = (part: unknown, path: string, depth: number): readonly string[] => {
    const found = resolveSchema(part, follow)
    const properties = 'items' in found ? {} : found['properties']
    if (!isObject(properties) || Object.keys(properties).length === 0 || depth > 4) return [path]
    return Object.entries(properties).flatMap(([name, value]) => below(value, `${path}.${name}`, depth + 1))
  }
  const { properties } = schema
  const parts = isObject(properties) ? Object.entries(properties) : []
  return parts.flatMap(([name, part]) => (typeAndMetadata.has(name) ? [] : below(part, name, 0)))
}
