import type { Client } from '@pergola/client'
import type { KnownResource } from '../server/known-resource.ts'
import { usedWrongly } from '../terminal/command-fault.ts'
import type { Output } from '../terminal/output-option.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Expansion } from './expansion.ts'
import { jsonPath } from './json-path.ts'
import {
  createJsonLinesWriter,
  createJsonWriter,
  createNameWriter,
  createTableWriter,
  createYamlWriter,
  type ObjectWriter,
} from './object-writer.ts'

export interface Written {
  readonly terminal: Terminal
  readonly client: Client
  readonly resource: KnownResource
  readonly expansion?: Expansion | undefined
  /** The writer gets changes, not only objects. */
  readonly watch?: boolean
}

/** The writer for a form of `-o`. */
export async function writerFor(written: Written, output: Output): Promise<ObjectWriter> {
  const { terminal, expansion, watch = false } = written
  const [form, value = ''] = splitForm(output)
  switch (form) {
    case 'json':
      return watch ? createJsonLinesWriter(terminal) : createJsonWriter(terminal, expansion)
    case 'ndjson':
      return createJsonLinesWriter(terminal)
    case 'yaml':
      return createYamlWriter(terminal)
    case 'name':
      return createNameWriter(terminal)
    case 'jsonpath': {
      const { createPathWriter } = await import('./value-writers.ts')
      // kubectl applies a path to the whole list.
      return createPathWriter(terminal, jsonPath(value.replace(/^(\{?)\$?\.items\[\*\]/, '$1')))
    }
    case 'csv':
      if (watch) throw usedWrongly('--watch cannot be combined with -o csv; use -o ndjson')
      return csvWriter(written, value)
    default:
      return tableWriter(written, form, value)
  }
}

function splitForm(output: Output): readonly [string, string?] {
  const at = output.indexOf('=')
  return at < 0 ? [output] : [output.slice(0, at), output.slice(at + 1)]
}

async function csvWriter({ terminal, client, resource }: Written, paths: string): Promise<ObjectWriter> {
  const [{ readSchema }, { fieldColumns }, { columnPaths }, { createCsvWriter }] = await Promise.all([
    import('./read-schema.ts'),
    import('./field-columns.ts'),
    import('./list-columns.ts'),
    import('./value-writers.ts'),
  ])
  const read = await readSchema(client, resource)
  const usual = () => ['metadata.name', ...columnPaths(resource, read), 'metadata.creationTimestamp']
  return createCsvWriter(terminal, fieldColumns(paths === '' ? [...new Set(usual())].join(',') : paths, read))
}

async function tableWriter(written: Written, form: string, paths: string): Promise<ObjectWriter> {
  const { terminal, client, resource, expansion, watch: withChange = false } = written
  const { readColumns } = await import('./read-columns.ts')
  if (form !== 'columns') {
    const columns = await readColumns(client, resource, { expansion, isWide: form === 'wide' })
    return createTableWriter(terminal, columns, { withChange })
  }
  const [{ readSchema }, { asTableColumn, fieldColumns }] = await Promise.all([
    import('./read-schema.ts'),
    import('./field-columns.ts'),
  ])
  const columns = fieldColumns(paths, await readSchema(client, resource)).map(asTableColumn)
  return createTableWriter(terminal, columns, { withChange, isBare: true })
}
