import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml'
import { ConfigError } from './config-error.ts'

export interface ConfigFile {
  readonly name: string
  readonly text: string
}

/** The settings of a file by section, as written, with the lines where they are. */
export interface ParsedFile {
  readonly name: string
  readonly sections: Record<string, Record<string, unknown>>
  /** The line of a setting; undefined when it is not set there. */
  lineOf(path: string): number | undefined
  /** The line of a setting, or of what would contain it. */
  near(path: string): number
}

/** Throws `ConfigError`, with the line of each error. */
export function parseConfigFile({ name, text }: ConfigFile): ParsedFile {
  const lineCounter = new LineCounter()
  // The library's own messages would show the line, which may contain a password.
  const document = parseDocument(text, { prettyErrors: false, lineCounter })
  const faults = document.errors.map(({ pos, message }) => `${name}:${lineCounter.linePos(pos[0]).line}: ${message}`)
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  const found = (path: string) => walk(document, path.split('.'))
  return {
    name,
    sections: sectionsOf(name, document),
    lineOf: (path) => {
      const { offset, isWhole } = found(path)
      return isWhole ? lineCounter.linePos(offset).line : undefined
    },
    near: (path) => lineCounter.linePos(found(path).offset).line,
  }
}

function sectionsOf(name: string, document: Document.Parsed): ParsedFile['sections'] {
  const value = asPlain(name, document)
  if (value === null || value === undefined) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as ParsedFile['sections']
  throw new ConfigError(
    `${name}:1: the file must contain settings by section, such as "server:" with "port: 8090" below it`,
  )
}

function asPlain(name: string, document: Document.Parsed): unknown {
  try {
    return document.toJS()
  } catch (error) {
    throw new ConfigError(`${name}:1: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The offset of the last key on the way that exists, and whether it is the whole way to a value. */
function walk(
  document: Document.Parsed,
  keys: readonly string[],
): { readonly offset: number; readonly isWhole: boolean } {
  let node: unknown = document.contents
  let offset = 0
  for (const key of keys) {
    const resolved: unknown = isAlias(node) ? node.resolve(document) : node
    const entry = entryOf(resolved, key)
    if (!entry) return { offset, isWhole: false }
    offset = entry.at.range?.[0] ?? offset
    node = entry.value
  }
  return { offset, isWhole: !(isScalar(node) && node.value === null) }
}

function entryOf(node: unknown, key: string): { readonly at: Node; readonly value: unknown } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(key)]
    return isNode(item) ? { at: item, value: item } : undefined
  }
  const pair = isMap(node) ? node.items.find((one) => isScalar(one.key) && String(one.key.value) === key) : undefined
  return pair && isNode(pair.key) ? { at: pair.key, value: pair.value } : undefined
}
