import { closeSync, openSync, readSync } from 'node:fs'

const headerBytes = 64
const userVersionAt = 60

/**
 * The schema number in the header of the file, which needs no lock: the server keeps the file locked, and opening it would
 * create files with the rights of this account. Undefined for a file that is not of SQLite.
 */
export function schemaInHeader(file: string): number | undefined {
  const header = Buffer.alloc(headerBytes)
  const opened = openSync(file, 'r')
  try {
    const read = readSync(opened, header)
    if (read === 0) return 0
    return header.toString('latin1').startsWith('SQLite format 3\0') ? header.readUInt32BE(userVersionAt) : undefined
  } finally {
    closeSync(opened)
  }
}
