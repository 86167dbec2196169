import { readFileSync } from 'node:fs'
import { readYamlDocuments } from '../../packages/server/src/base/yaml-documents.ts'

/** The single document of a file, with merge keys (`<<`) resolved. */
export function readYaml(file: string): unknown {
  const [document, ...others] = readYamlDocuments(readFileSync(file, 'utf8'))
  if (document === undefined || others.length > 0) throw new Error(`${file} must contain exactly one document`)
  return merged(document)
}

function merged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(merged)
  if (typeof value !== 'object' || value === null) return value
  const { '<<': base, ...own } = value as Record<string, unknown>
  const entries = Object.entries({ ...(base as object), ...own })
  return Object.fromEntries(entries.map(([key, inner]) => [key, merged(inner)]))
}
