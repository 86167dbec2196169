import type { SchemaVersion } from './schema-version.ts'

/** Reports progress, as text. */
export type Tell = (words: string) => void

/** What a backup file is, after all of it was read. */
export interface Verified {
  readonly engine: 'PostgreSQL' | 'SQLite'
  /** The newest migration of the database that was backed up, and the oldest server that can use it. */
  readonly schema: SchemaVersion
}

export interface RestoreOptions {
  /** A backup file made on the same engine. */
  readonly from: string
  /** Replace an existing database; it is moved aside, not deleted. */
  readonly replace: boolean
  readonly tell: Tell
}
