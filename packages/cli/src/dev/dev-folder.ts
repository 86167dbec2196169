import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** In the folder of a plugin; nothing in it is meant for others. */
export const devFolderName = '.pergola'

const keyBytes = 32

/** What is kept between runs of `pergola dev`. */
export interface DevFolder {
  /** The file of the database. */
  readonly database: string
  /** What secrets are sealed with, for as long as the database is kept. */
  readonly sealingKey: string
  readonly isSeeded: () => boolean
  readonly markSeeded: () => void
}

/** `reset` forgets what was there; whoever still has it open must be looked for before. */
export function openDevFolder(pluginFolder: string, { reset }: { readonly reset: boolean }): DevFolder {
  const folder = join(pluginFolder, devFolderName)
  const files = { database: join(folder, 'dev.db'), key: join(folder, 'sealing-key'), seeded: join(folder, 'seeded') }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (reset) {
    const { database, key, seeded } = files
    for (const file of [database, `${database}-wal`, `${database}-shm`, key, seeded]) rmSync(file, { force: true })
  }
  // A mark without a database is of one that somebody has deleted.
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
