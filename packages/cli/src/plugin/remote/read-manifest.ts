import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { list } from 'tar'
import { usedWrongly } from '../../terminal/command-fault.ts'
import { whyUnreadable } from '../../terminal/why-unreadable.ts'

export interface LocalPackage {
  readonly file: string
  readonly bytes: Buffer
  /** Digest of the package, which identifies it on the server. */
  readonly digest: string
  readonly name: string
  readonly version: string
}

/** Reads name and version from a package; the server validates the rest. */
export async function readLocalPackage(file: string): Promise<LocalPackage> {
  const bytes = bytesOf(file)
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const { name, version } = await manifestIn(file)
  if (typeof name !== 'string' || typeof version !== 'string') {
    throw usedWrongly(`${file} is no package of a plugin; make one with pergola plugin pack`)
  }
  return { file, bytes, digest, name, version }
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw usedWrongly(`${file} cannot be read: ${whyUnreadable(error)}`)
  }
}

async function manifestIn(file: string): Promise<{ readonly name?: unknown; readonly version?: unknown }> {
  const chunks: Buffer[] = []
  try {
    await list({
      file,
      onReadEntry: (entry) => {
        const isManifest = entry.path.replace(/^(\.\/|package\/)+/, '') === 'plugin.json'
        entry.on('data', (chunk: Buffer) => {
          if (isManifest) chunks.push(chunk)
        })
      },
    })
    return JSON.parse(Buffer.concat(chunks).toString()) as { readonly name?: unknown }
  } catch {
    return {}
  }
}
