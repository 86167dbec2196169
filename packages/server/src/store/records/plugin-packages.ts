import { sql, statement, type SqlStatement } from '../sql.ts'
import type { Store } from '../store.ts'

/** Bytes of a package per row. */
const partBytes = 4 * 1024 * 1024

/** Does nothing when the package exists. */
export async function insertPackage(store: Store, digest: string, bytes: Buffer): Promise<void> {
  const text = 'INSERT INTO plugin_packages (digest, part, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING'
  for (let part = 0; part * partBytes < bytes.length; part++) {
    await store[sql](statement(text, [digest, part, bytes.subarray(part * partBytes, (part + 1) * partBytes)]))
  }
}

export async function readPackageBytes(store: Store, digest: string): Promise<Buffer | undefined> {
  const text = 'SELECT bytes FROM plugin_packages WHERE digest = $1 AND part = $2'
  const parts: Buffer[] = []
  for (;;) {
    const [row] = await store[sql](statement(text, [digest, parts.length]))
    if (!row) break
    parts.push(row['bytes'] as Buffer)
  }
  return parts.length === 0 ? undefined : Buffer.concat(parts)
}

/** Deletes a package in the transaction of another write; does nothing when it does not exist. */
export function deletePackage(digest: string): SqlStatement {
  return statement('DELETE FROM plugin_packages WHERE digest = $1', [digest])
}

export async function deleteOtherPackages(store: Store, kept: ReadonlySet<string>): Promise<void> {
  const known = await store[sql](statement('SELECT DISTINCT digest FROM plugin_packages'))
  for (const digest of known.map((row) => String(row['digest']))) {
    if (!kept.has(digest)) await store[sql](deletePackage(digest))
  }
}
