import { createHash } from 'node:crypto'
import { createGunzip } from 'node:zlib'
import { Parser, type ReadEntry } from 'tar'
import { readYamlDocuments } from '../../base/yaml-documents.ts'

export const mostFiles = 5_000
/** Limit of the whole archive, with its headers. */
export const mostBytes = 100 * 1024 * 1024
/** Limit of all declaring files together. A byte of YAML can take 1 KB of memory to parse. */
export const mostDeclaringBytes = 256 * 1024
const gzipMagic = Buffer.from([0x1f, 0x8b])
const declaringFiles = /^(extensions|src\/main\/resources\/extensions)\/.+\.ya?ml$/

/** The package is invalid; the message is for its sender. */
export class PackageFault extends Error {}

export interface UnpackedArchive {
  readonly digest: string
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  /** The documents of the files that declare objects, in the order of the files' names. */
  readonly documents: ReadonlyMap<string, readonly unknown[]>
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

/** Reads a `.tgz` archive; several gzip members count as one. Call it in a separate thread. */
export async function unpackArchive(bytes: Uint8Array): Promise<UnpackedArchive> {
  const files = await filesIn(bytes)
  return { digest: digestOf(bytes), files, documents: documentsIn(files) }
}

async function filesIn(bytes: Uint8Array): Promise<UnpackedArchive['files']> {
  if (!isCompressed(bytes)) throw noArchive('it is not compressed by gzip')
  const archive = readTar()
  const unzipped = createGunzip({ chunkSize: 64 * 1024 })
  unzipped.end(bytes)
  try {
    let read = 0
    for await (const chunk of unzipped as AsyncIterable<Buffer>) {
      // The parser would decompress it again, without a limit.
      if (read === 0 && isCompressed(chunk)) throw noArchive('it is compressed twice')
      read += chunk.length
      if (read > mostBytes) throw tooLarge()
      archive.take(chunk)
      if (archive.isOver()) break
    }
  } catch (error) {
    throw error instanceof PackageFault ? error : damaged()
  }
  return archive.end()
}

function readTar() {
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  let declared = 0
  let fault: PackageFault | undefined
  let isOver = false
  const parser = new Parser({ strict: true, brotli: false, zstd: false })
  const refuse = (found: PackageFault) => {
    fault ??= found
    parser.abort(found)
  }
  const take = (entry: ReadEntry) => {
    const path = entry.path.replace(/^(\.\/|package\/)+/, '')
    declared += entry.size
    const wrong = faultOf(entry, path)
    if (wrong !== undefined) return refuse(new PackageFault(`it ${wrong}`))
    if (declared > mostBytes) return refuse(tooLarge())
    if (files.size >= mostFiles) return refuse(new PackageFault(`it has more than ${mostFiles} files`))
    if (entry.type === 'Directory') return entry.resume()
    if (files.has(path)) return refuse(new PackageFault(`it has ${path} twice`))
    // Not pooled, so that it can be transferred to another thread.
    const content = new Uint8Array(entry.size)
    files.set(path, content)
    let at = 0
    entry.on('data', (chunk: Buffer) => {
      content.set(chunk, at)
      at += chunk.length
    })
  }
  parser.on('entry', take)
  parser.on('eof', () => (isOver = true))
  parser.on('error', () => (fault ??= damaged()))
  const assertSound = () => {
    if (fault) throw fault
  }
  return {
    take: (chunk: Buffer) => {
      parser.write(chunk)
      assertSound()
    },
    /** Whether the end marker was read; later bytes do not belong to the archive. */
    isOver: () => isOver,
    end: () => {
      parser.end()
      assertSound()
      return files
    },
  }
}

function documentsIn(files: UnpackedArchive['files']): UnpackedArchive['documents'] {
  const declaring = [...files].filter(([path]) => declaringFiles.test(path))
  const bytes = declaring.reduce((sum, [, { length }]) => sum + length, 0)
  if (bytes > mostDeclaringBytes) {
    throw new PackageFault(`its extensions have ${bytes} bytes; at most ${mostDeclaringBytes} are allowed`)
  }
  const sorted = declaring.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return new Map(sorted.map(([path, content]) => [path, documentsOf(path, content)]))
}

function documentsOf(path: string, content: Uint8Array): readonly unknown[] {
  try {
    return readYamlDocuments(Buffer.from(content).toString('utf8'))
  } catch (error) {
    throw new PackageFault(`${path} cannot be read: ${String(error)}`)
  }
}

function isCompressed(bytes: Uint8Array): boolean {
  return gzipMagic.equals(bytes.subarray(0, gzipMagic.length))
}

function noArchive(why: string): PackageFault {
  return new PackageFault(`it is not a .tgz archive: ${why}`)
}

function damaged(): PackageFault {
  return noArchive('it is damaged, or something else is compressed in it')
}

function tooLarge(): PackageFault {
  return new PackageFault(`it unpacks to more than ${mostBytes} bytes`)
}

/** Refuses links, and paths that lead outside of the package. */
function faultOf({ type }: ReadEntry, path: string): string | undefined {
  if (type !== 'File' && type !== 'Directory') return `contains ${path}, which is a ${type}, not a file`
  const isInside =
    !path.startsWith('/') && !path.includes('\\') && !path.split('/').includes('..') && !path.includes('\0')
  return isInside ? undefined : `contains ${path}, which is a path outside of the package`
}
