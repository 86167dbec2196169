import { ApiError } from '@pergola/api'
import { createWorkerThread, ThreadFault } from '../../base/worker-thread.ts'
import { PackageFault } from './unpack-archive.ts'
import type { UnpackReply } from './unpack-worker.ts'

export const mostDefinitionBytes = 4 * 1024 * 1024

/** A schema may have 160 levels. */
const mostLevels = 200
/** CPU time limit of reading a package. The largest role templates took 0.7 s. */
export const readMs = 5_000
const patienceMs = 100_000
/** Counts only declared objects and names; files are buffers. */
const memoryMb = 256
const mostWaiting = 200

/** The content of a package, not yet validated. */
export interface PluginPackage {
  /** Digest of the package's bytes: its key in the database. */
  readonly digest: string
  /** `plugin.json`, parsed. */
  readonly manifest: unknown
  /** By their paths within the package. */
  readonly files: ReadonlyMap<string, Buffer>
  /** The documents in `extensions/`, by file. */
  readonly documents: ReadonlyMap<string, readonly unknown[]>
}

/** Reads packages in a separate thread, one at a time, so that no package can delay a request. */
export interface PackageReader extends AsyncDisposable {
  /** Reads a package (`.tgz`) made by `pergola plugin pack`; throws `PackageFault`. Writes nothing and runs none of its code. */
  read(bytes: Buffer): Promise<PluginPackage>
}

export function createPackageReader(): PackageReader {
  const module = new URL('./unpack-worker.ts', import.meta.url)
  const limits = { memoryMb, cpuMs: readMs, patienceMs, mostWaiting }
  const thread = createWorkerThread<Buffer, UnpackReply>({ module, ...limits })
  return {
    read: async (bytes) => {
      const reply = await thread.ask(bytes).catch((error: unknown) => {
        throw error instanceof ThreadFault ? faultOf(error) : error
      })
      if ('fault' in reply) throw new PackageFault(reply.fault)
      const { digest, documents, files } = reply.archive
      const buffers = new Map(Array.from(files, ([path, { buffer }]) => [path, Buffer.from(buffer)]))
      return { digest, documents, manifest: manifestIn(buffers), files: buffers }
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

function faultOf({ why, message }: ThreadFault): Error {
  if (why === 'busy') return new ApiError('Unavailable', 'too many packages are being read; try again')
  if (why === 'time') return new PackageFault(`it takes more than ${readMs} ms to read`)
  return new PackageFault(why === 'memory' ? 'it takes too much memory to read' : `it cannot be read: ${message}`)
}

function manifestIn(files: ReadonlyMap<string, Buffer>): unknown {
  const manifest = files.get('plugin.json')
  if (!manifest) throw new PackageFault('it has no plugin.json; make it with "pergola plugin pack"')
  if (manifest.length > mostDefinitionBytes) {
    throw new PackageFault(`its plugin.json has ${manifest.length} bytes; at most ${mostDefinitionBytes} are allowed`)
  }
  const value = parsed(manifest)
  if (!isShallow(value)) throw new PackageFault(`its plugin.json is nested more than ${mostLevels} levels deep`)
  return value
}

function parsed(manifest: Buffer): unknown {
  try {
    return JSON.parse(manifest.toString('utf8'))
  } catch (error) {
    throw new PackageFault(`its plugin.json is not JSON: ${(error as Error).message}`)
  }
}

/** Limits nesting, because reading a definition is recursive. */
function isShallow(value: unknown): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; depth < mostLevels; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (level.length === 0) return true
  }
  return false
}
