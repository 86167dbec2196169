import type { SqlStatement, Store } from '../../store/store.ts'
import type { PackageReader, PluginPackage } from './read-package.ts'

/** Bytes of a package per row. */
const partBytes = 4 * 1024 * 1024

/** The packages of plugins, by digest. */
export interface Packages {
  /** Does nothing when the package exists. */
  keep(digest: string, bytes: Buffer): Promise<void>
  read(digest: string): Promise<Buffer | undefined>
  /** The content of a package, stored or sent; throws `PackageFault`. */
  unpack(bytes: Buffer): Promise<PluginPackage>
  /** Does nothing when the package does not exist. */
  forget(digest: string): Promise<void>
  /** Call it only when no installation is in progress: a new package is stored before anything refers to it. */
  forgetOthers(digests: ReadonlySet<string>): Promise<void>
}

/** Deletes a package, for writes that delete it in their own transaction. */
export function packageDeletion(digest: string): SqlStatement {
  return { text: 'DELETE FROM plugin_packages WHERE digest = $1', values: [digest] }
}

export function createPackages(store: Store, reader: Pick<PackageReader, 'read'>): Packages {
  const forget = async (digest: string) => {
    await store.sql(packageDeletion(digest))
  }
  return {
    forget,
    unpack: (bytes) => reader.read(bytes),
    keep: async (digest, bytes) => {
      for (let part = 0; part * partBytes < bytes.length; part++) {
        await store.sql({
          text: 'INSERT INTO plugin_packages (digest, part, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
          values: [digest, part, bytes.subarray(part * partBytes, (part + 1) * partBytes)],
        })
      }
    },
    forgetOthers: async (digests) => {
      const known = await store.sql({ text: 'SELECT DISTINCT digest FROM plugin_packages', values: [] })
      for (const digest of known.map((row) => String(row['digest']))) {
        if (!digests.has(digest)) await forget(digest)
      }
    },
    read: async (digest) => {
      const parts: Buffer[] = []
      for (;;) {
        const text = 'SELECT bytes FROM plugin_packages WHERE digest = $1 AND part = $2'
        const [row] = await store.sql({ text, values: [digest, parts.length] })
        if (!row) break
        parts.push(row['bytes'] as Buffer)
      }
      return parts.length === 0 ? undefined : Buffer.concat(parts)
    },
  }
}
