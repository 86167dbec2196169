import type { Store } from '../store/store.ts'

/** So much of a package is a row. */
const partBytes = 4 * 1024 * 1024

/** The packages of plugins, by their digests. */
export interface Packages {
  /** Harmless when it is there. */
  keep(digest: string, bytes: Buffer): Promise<void>
  read(digest: string): Promise<Buffer | undefined>
  /** Harmless when it is not there. */
  forget(digest: string): Promise<void>
  /** Only for who knows that nobody is about to install one: it would be kept, and not named by anybody yet. */
  forgetOthers(digests: ReadonlySet<string>): Promise<void>
}

export function createPackages(store: Store): Packages {
  const forget = async (digest: string) => {
    await store.sql({ text: 'DELETE FROM plugin_packages WHERE digest = $1', values: [digest] })
  }
  return {
    forget,
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
