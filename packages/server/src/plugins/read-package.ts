import { createHash } from 'node:crypto'
import { Parser, type ReadEntry } from 'tar'

const mostFiles = 5_000
const mostBytes = 100 * 1024 * 1024
export const mostDefinitionBytes = 4 * 1024 * 1024

/** The content of a package, not yet validated. */
export interface PluginPackage {
  /** Digest of the package's bytes: its key in the database. */
  readonly digest: string
  /** `plugin.json`, parsed. */
  readonly manifest: unknown
  /** By their paths within the package. */
  readonly files: ReadonlyMap<string, Buffer>
}

/** The package is invalid; the message is for its sender. */
export class PackageFault extends Error {}

/** Reads a package (`.tgz`) made by `pergola plugin pack`. Writes nothing and runs none of its code. */
export async function readPackage(bytes: Buffer): Promise<PluginPackage> {
  const files = await unpack(bytes)
  const manifest = files.get('plugin.json')
  if (!manifest) throw new PackageFault('it has no plugin.json; make it with "pergola plugin pack"')
  if (manifest.length > mostDefinitionBytes) {
    throw new PackageFault(`its plugin.json has ${manifest.length} bytes; at most ${mostDefinitionBytes} are allowed`)
  }
  return { digest: digestOf(bytes), manifest: parsed(manifest), files }
}

export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

async function unpack(bytes: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>()
  let held = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const parser = new Parser({ strict: true })
  const refuse = (message: string) => {
    reject(new PackageFault(message))
    parser.abort(new Error(message))
  }
  const take = (entry: ReadEntry) => {
    const path = entry.path.replace(/^(\.\/|package\/)+/, '')
    // Never reads more than the declared size.
    held += entry.size
    const fault = faultOf(entry, path) ?? excess(files.size, held)
    if (fault !== undefined) return refuse(`it ${fault}`)
    if (entry.type === 'Directory') return entry.resume()
    if (files.has(path)) return refuse(`it has ${path} twice`)
    const chunks: Buffer[] = []
    entry.on('data', (chunk: Buffer) => chunks.push(chunk))
    entry.on('end', () => files.set(path, Buffer.concat(chunks)))
  }
  parser.on('entry', take)
  parser.on('error', (error: Error) => reject(new PackageFault(`it is not a .tgz archive: ${error.message}`)))
  parser.on('end', () => resolve())
  parser.end(bytes)
  await promise
  return files
}

function excess(files: number, bytes: number): string | undefined {
  if (files >= mostFiles) return `has more than ${mostFiles} files`
  return bytes > mostBytes ? `unpacks to more than ${mostBytes} bytes` : undefined
}

/** Refuses links, and paths that lead outside of the package. */
function faultOf({ type }: ReadEntry, path: string): string | undefined {
  if (type !== 'File' && type !== 'Directory') return `holds ${path}, which is a ${type}, not a file`
  const isInside =
    !path.startsWith('/') && !path.includes('\\') && !path.split('/').includes('..') && !path.includes('\0')
  return isInside ? undefined : `holds ${path}, which is a path outside of the package`
}

function parsed(manifest: Buffer): unknown {
  try {
    return JSON.parse(manifest.toString('utf8'))
  } catch (error) {
    throw new PackageFault(`its plugin.json is not JSON: ${(error as Error).message}`)
  }
}
