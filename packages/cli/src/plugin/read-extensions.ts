import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { LineCounter, parseAllDocuments, type Document } from 'yaml'
import { at, AuthorFault, type Place } from './author-fault.ts'

/** The second folder is the one that Halo uses. */
const folders = ['extensions', 'src/main/resources/extensions']

/** A file of declared objects. */
export interface ExtensionFile {
  /** Path relative to the plugin's folder. */
  readonly file: string
  /** Path in the package. */
  readonly path: string
  readonly bytes: Buffer
  readonly objects: readonly DeclaredObject[]
}

/** An object from a file, with its location. */
export interface DeclaredObject {
  readonly value: unknown
  /** Location of a field, or of its nearest existing parent. */
  readonly placeOf: (path: readonly (string | number)[]) => Place
}

/** Reads all files and reports all errors together. `roots` selects other folders of the plugin. */
export function readExtensions(folder: string, roots: readonly string[] = folders): readonly ExtensionFile[] {
  const faults: string[] = []
  const files = roots.flatMap((root) =>
    filesIn(join(folder, root)).map((name) => readFile(folder, { root, name }, faults)),
  )
  for (const [index, { file, path }] of files.entries()) {
    const other = files.slice(0, index).find((one) => one.path === path)
    if (other) faults.push(at({ file }, `lies in the package where ${other.file} does; give it another name`))
  }
  if (faults.length > 0) throw new AuthorFault(faults)
  return files
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return globSync('**/*.{yaml,yml}', { cwd: folder })
    .map((name) => name.replaceAll(sep, '/'))
    .toSorted()
}

function readFile(
  folder: string,
  { root, name }: { readonly root: string; readonly name: string },
  faults: string[],
): ExtensionFile {
  const file = `${root}/${name}`
  const bytes = readFileSync(join(folder, file))
  const lineCounter = new LineCounter()
  const documents = parseAllDocuments(bytes.toString('utf8'), { lineCounter })
  const placeAt = (offset: number): Place => {
    const { line, col } = lineCounter.linePos(offset)
    return { file, line, column: col }
  }
  const found = 'empty' in documents ? [] : documents
  for (const error of found.flatMap(({ errors }) => errors)) {
    const [first = ''] = error.message.split('\n')
    faults.push(at(placeAt(error.pos[0]), first.replace(/ at line \d+, column \d+:?$/, '')))
  }
  const objects = found
    .filter(({ contents, errors }) => contents !== null && errors.length === 0)
    .map((document) => ({
      value: document.toJS() as unknown,
      placeOf: (path: readonly (string | number)[]) => placeAt(offsetOf(document, path)),
    }))
  return { file, path: `extensions/${name}`, bytes, objects }
}

function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length >= 0; length--) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    if (typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)) {
      return Number(node.range[0])
    }
  }
  return 0
}
