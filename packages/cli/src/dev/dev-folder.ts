import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folder of local development state inside the plugin's folder. */
export const devFolderName = '.pergola'

const keyBytes = 32

/** Files kept between runs of `pergola dev`. */
export interface DevFolder {
  /** Path of the database file. */
  readonly database: string
  /** Key that encrypts secrets, kept as long as the database. */
  readonly sealingKey: string
  readonly isSeeded: () => boolean
  readonly markSeeded: () => void
}

/** Opens the folder. `reset` deletes its content; check first that no other process uses it. */
export function openDevFolder(pluginFolder: string, { reset }: { readonly reset: boolean }): DevFolder {
  const folder = join(pluginFolder, devFolderName)
  const files = { database: join(folder, 'dev.db'), key: join(folder, 'sealing-key'), seeded: join(folder, 'seeded') }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (reset) {
    const { database, key, seeded } = files
    for (const file of [database, `${database}-wal`, `${database}-shm`, key, seeded]) rmSync(file, { force: true })
  }
  // The database was deleted, so the seed marker is stale.
  if (!existsSync(files.database)) rmSync(files.seeded, { force: true })
  if (!existsSync(files.key)) {
    writeFileSync(files.key, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600 })
  }
  return {
    database: files.database,
    sealingKey: readFileSync(files.key, 'utf8'),
    isSeeded: () => existsSync(files.seeded),
    markSeeded: () => writeFileSync(files.seeded, ''),
  }
}
