import { apiVersionOf } from '@pergola/api'
import type { ApiObject } from '@pergola/client'
import type { ReadSchema } from '../objects/read-schema.ts'
import { isObject, schemaAt } from '../objects/schema-at.ts'
import { textValue } from '../objects/text-value.ts'
import { withValue } from '../objects/with-value.ts'
import type { WrittenObject } from '../objects/read-documents.ts'
import type { KnownResource } from '../server/known-resource.ts'
import { usedWrongly } from '../terminal/command-fault.ts'
import { csvRecords } from './csv-records.ts'
import { isHeader } from './header.ts'
import { isWritten, type ReadItem, type ReadPart } from './import-item.ts'
import { readLines, type LinePosition } from './read-lines.ts'

type Source = string | NodeJS.ReadableStream

export interface NdjsonSource {
  readonly source: Source
  readonly from: LinePosition
  /** The resource of a type; reads the models again if it is new. */
  readonly resourceOf: (object: WrittenObject) => Promise<KnownResource | undefined>
}

/** Reads NDJSON that `export` or `list -o ndjson` has written. */
export async function* ndjsonItems({
  source,
  from,
  resourceOf,
}: NdjsonSource): AsyncGenerator<ReadPart, void, undefined> {
  for await (const { number: line, text, end } of readLines(source, from)) {
    if (text.trim() === '') continue
    const value = parsed(text)
    const place = { line, lastLine: line, end }
    if (isHeader(value)) {
      yield { ...place, isBoundary: true }
      continue
    }
    if (!isWritten(value)) {
      yield {
        ...place,
        fault: value === undefined ? 'is not JSON' : 'is not an object with apiVersion, kind and metadata.name',
      }
      continue
    }
    const resource = await resourceOf(value)
    const { apiVersion, kind, metadata } = value
    if (resource) yield { ...place, resource, name: metadata.name, build: () => value }
    else yield { ...place, fault: `there is no ${kind} in ${apiVersion}` }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

export interface CsvSource {
  readonly file: string
  readonly from: LinePosition
  readonly resource: KnownResource
  readonly schema: ReadSchema
}

interface Column {
  readonly path: readonly string[]
  readonly valueOf: (text: string) => unknown
}

/** Reads a CSV whose header has the paths of the fields. */
export async function* csvItems({
  file,
  from,
  resource,
  schema,
}: CsvSource): AsyncGenerator<ReadItem, void, undefined> {
  const columns = await columnsOf(file, schema)
  const at = columns.findIndex(({ path }) => path.join('.') === 'metadata.name')
  if (at < 0) throw usedWrongly(`${file} has no column metadata.name, by which an object is found`)
  for await (const { number: line, lastLine, cells, end } of csvRecords(readLines(file, from))) {
    // The header.
    if (line === 1) continue
    const place = { line, lastLine, end }
    const name = cells?.[at]
    if (!cells) yield { ...place, fault: 'is not CSV: a quote is not closed, or stands in the middle of a cell' }
    else if (cells.length !== columns.length) {
      yield { ...place, fault: `has ${cells.length} cells, and the header ${columns.length}` }
    } else if (name === undefined || name === '') yield { ...place, fault: 'has no metadata.name' }
    else yield { ...place, resource, name, build: (stored) => withCells({ resource, columns, cells, stored }) }
  }
}

async function columnsOf(file: string, { schema, follow }: ReadSchema): Promise<readonly Column[]> {
  const { value: header } = await csvRecords(readLines(file)).next()
  if (!header?.cells) throw usedWrongly(`${file} has no line with the paths of the fields`)
  return header.cells.map((cell = '') => {
    const path = cell.trim().split('.')
    const field = schemaAt(schema, path, follow)
    if (!field) throw usedWrongly(`${file}:1 "${cell}" is not a field; write paths such as metadata.name,spec.title`)
    return { path, valueOf: (text) => textValue(text, field, follow) }
  })
}

interface Cells {
  readonly resource: KnownResource
  readonly columns: readonly Column[]
  readonly cells: readonly (string | undefined)[]
  readonly stored: ApiObject | undefined
}

/** The stored object with the cells in it. */
function withCells({ resource, columns, cells, stored }: Cells): WrittenObject {
  const { metadata, ...fields } = (stored ?? {}) as Partial<ApiObject>
  const { labels, annotations, finalizers } = metadata ?? {}
  const kept = Object.entries({ labels, annotations, finalizers }).filter(([, value]) => value !== undefined)
  const base: Fields = { ...fields, metadata: Object.fromEntries(kept) }
  const object = columns.reduce<Fields>((all, { path, valueOf }, at) => {
    const text = cells[at]
    return text === undefined ? withoutValue(all, path) : withValue(all, path, valueOf(text))
  }, base)
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind } as WrittenObject
}

type Fields = Readonly<Record<string, unknown>>

/** Removes a field. An object around it stays. */
function withoutValue(fields: Fields, [step = '', ...below]: readonly string[]): Fields {
  const { [step]: here, ...others } = fields
  if (below.length === 0) return others
  return isObject(here) ? { ...fields, [step]: withoutValue(here, below) } : fields
}
