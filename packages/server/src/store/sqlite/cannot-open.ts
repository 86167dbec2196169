import { existsSync } from 'node:fs'
import { dirname } from 'node:path'

/** Explanations of error codes of SQLite and the file system when opening a file, with the next step. */
const causes: readonly (readonly [codes: RegExp, words: string])[] = [
  [/^SQLITE_NOTADB$/, 'it is not a SQLite database; check the path, or move the file away to start with an empty one'],
  [/^SQLITE_CORRUPT/, 'it is damaged; restore a backup with pergola restore --replace'],
  [/^(?:SQLITE_FULL|ENOSPC|EDQUOT)$/, 'the disk is full; free space'],
  [
    /^(?:SQLITE_READONLY\w*|SQLITE_PERM|EACCES|EPERM|EROFS)$/,
    'it or its folder is read-only for this process; give the account that runs Pergola the right to write there',
  ],
  [
    /^(?:SQLITE_CANTOPEN\w*|EISDIR|ENOTDIR|ENOENT)$/,
    'this process cannot write the file; check the path and the rights to its folder',
  ],
  [/^SQLITE_IOERR/, 'the disk cannot be read or written; check the disk and the rights to the folder'],
]

/** Names the file and the setting, for the operator who starts the server. */
export function cannotOpen(file: string, error: unknown): unknown {
  const code = codeOf(error)
  if (code.startsWith('SQLITE_BUSY')) {
    return new Error(`the SQLite file ${file} is in use by another process; stop it, or use PostgreSQL for several`, {
      cause: error,
    })
  }
  const folder = dirname(file)
  const words = existsSync(folder)
    ? causes.find(([known]) => known.test(code))?.[1]
    : `the folder ${folder} does not exist; create it`
  if (words === undefined) return error
  return new Error(`database.url: ${file} cannot be opened: ${words} (${(error as Error).message})`, { cause: error })
}

/** Whether the file's content is damaged, rather than access denied. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(?:NOTADB|CORRUPT)/.test(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
