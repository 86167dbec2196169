import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { modelObjectName } from '@pergola/server/model-object-name'
import { LineCounter, parseAllDocuments, type Document } from 'yaml'
import { CommandFault } from '../terminal/command-fault.ts'
import { whyUnreadable } from '../terminal/why-unreadable.ts'

/** An object from a file, with its location. */
export interface ObjectDocument {
  /** File name as given; `-` is stdin. */
  readonly file: string
  /** Number of the document in its file, from 1. */
  readonly number: number
  readonly object: WrittenObject
  /** Location of a field, or of its nearest existing parent: `todos.yaml:12`. */
  readonly placeOf: (path: readonly (string | number)[]) => string
}

export interface WrittenObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string }
  readonly [field: string]: unknown
}

export interface ReadOptions {
  /** Includes subfolders. */
  readonly recursive?: boolean | undefined
  /** Reads stdin, for `-`. */
  readonly readInput: () => Promise<string>
}

/** Reads all documents, or throws all errors; never returns a part. */
export async function readDocuments(
  files: readonly string[],
  options: ReadOptions,
): Promise<readonly ObjectDocument[]> {
  const faults: string[] = []
  const documents: ObjectDocument[] = []
  for (const file of files.flatMap((path) => filesOf(path, options))) {
    const text = file === '-' ? await options.readInput() : textOf(file)
    documents.push(...parseText(file, text, faults))
  }
  const first = new Map<string, ObjectDocument>()
  for (const document of documents) {
    const { apiVersion, kind, metadata } = document.object
    const key = JSON.stringify([apiVersion, kind, metadata.name])
    const other = first.get(key)
    if (other)
      faults.push(`${document.placeOf([])} is ${kind} "${metadata.name}", as ${other.placeOf([])} is; keep one`)
    first.set(key, document)
  }
  if (faults.length > 0) throw new CommandFault(faults.join('\n'), { lines: ['  nothing was sent'] })
  if (documents.length === 0) throw new CommandFault(`there is no object in ${files.join(', ')}`)
  return documents
}

/** Expands a folder to its files, sorted by name. */
function filesOf(path: string, { recursive = false }: Pick<ReadOptions, 'recursive'>): readonly string[] {
  if (path === '-') return [path]
  try {
    if (!statSync(path).isDirectory()) return [path]
    const names = readdirSync(path, { recursive }).map(String)
    return names
      .filter((name) => /\.(ya?ml|json)$/.test(name))
      .toSorted()
      .map((name) => join(path, name))
  } catch (error) {
    throw new CommandFault(`${path} cannot be read: ${whyUnreadable(error)}`)
  }
}

interface Parsed {
  readonly value: unknown
  readonly placeOf: ObjectDocument['placeOf']
}

export function parseText(file: string, text: string, faults: string[]): readonly ObjectDocument[] {
  const parsed =
    /^\s*[{[]/.test(text) && !file.endsWith('.yaml') ? parseJson(file, text, faults) : parseYaml(file, text, faults)
  return parsed.flatMap(listed).flatMap(({ value: written, placeOf }, at) => {
    const value = withModelName(written)
    const fault = faultOf(value)
    if (fault === undefined) return [{ file, number: at + 1, object: value as WrittenObject, placeOf }]
    faults.push(`${placeOf([])} ${fault}`)
    return []
  })
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandFault(`${file} cannot be read: ${whyUnreadable(error)}`)
  }
}

function parseJson(file: string, text: string, faults: string[]): readonly Parsed[] {
  try {
    return [{ value: JSON.parse(text) as unknown, placeOf: () => file }]
  } catch (error) {
    const { message } = error as Error
    const [, line] = /\(line (\d+) column \d+\)/.exec(message) ?? []
    faults.push(`${line === undefined ? file : `${file}:${line}`} ${message}`)
    return []
  }
}

function parseYaml(file: string, text: string, faults: string[]): readonly Parsed[] {
  const lineCounter = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter })
  const placeAt = (offset: number) => `${file}:${lineCounter.linePos(offset).line}`
  const found = 'empty' in documents ? [] : documents
  for (const { message, pos } of found.flatMap(({ errors }) => errors)) {
    const [first = ''] = message.split('\n')
    faults.push(`${placeAt(pos[0])} ${first.replace(/ at line \d+, column \d+:?$/, '')}`)
  }
  return found
    .filter(({ contents, errors }) => contents !== null && errors.length === 0)
    .flatMap((document) => {
      try {
        const value: unknown = document.toJS({ maxAliasCount: 100 })
        // An empty document.
        if (value === null) return []
        return [{ value, placeOf: (path: readonly (string | number)[]) => placeAt(offsetOf(document, path)) }]
      } catch (error) {
        faults.push(`${placeAt(offsetOf(document, []))} ${(error as Error).message}`)
        return []
      }
    })
}

function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true)
    if (hasRange(node)) return node.range[0]
  }
  return hasRange(document.contents) ? document.contents.range[0] : 0
}

function hasRange(node: unknown): node is { readonly range: readonly [number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
}

/** Expands a list, as printed by `list -o json`, to its items. */
function listed({ value, placeOf }: Parsed): readonly Parsed[] {
  if (Array.isArray(value))
    return value.map((one: unknown, at) => ({ value: one, placeOf: (path) => placeOf([at, ...path]) }))
  if (!isObject(value) || !Array.isArray(value['items']) || value['metadata'] !== undefined) return [{ value, placeOf }]
  return value['items'].map((one: unknown, at) => ({ value: one, placeOf: (path) => placeOf(['items', at, ...path]) }))
}

/** The name of a model follows from its group and plural. */
function withModelName(value: unknown): unknown {
  if (!isObject(value) || value['kind'] !== 'Model' || value['apiVersion'] !== 'plugin.platform.run/v1alpha1')
    return value
  const { metadata = {}, spec } = value
  if (!isObject(metadata) || metadata['name'] !== undefined || !isObject(spec)) return value
  const { group, plural } = spec
  if (typeof group !== 'string' || typeof plural !== 'string') return value
  return { ...value, metadata: { name: modelObjectName({ group, plural }), ...metadata } }
}

function faultOf(value: unknown): string | undefined {
  if (!isObject(value)) return 'is not an object; it must have apiVersion, kind and metadata'
  const missing = ['apiVersion', 'kind'].filter((field) => typeof value[field] !== 'string' || value[field] === '')
  if (missing.length > 0) return `has no ${missing.join(' and no ')}`
  const { metadata } = value
  if (isObject(metadata) && typeof metadata['name'] === 'string' && metadata['name'] !== '') return undefined
  const isModel = value['kind'] === 'Model'
  return `has no metadata.name, by which an object is found${isModel ? ', and no spec.group and spec.plural, from which it follows' : ''}`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
