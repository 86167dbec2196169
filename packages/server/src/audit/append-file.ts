import { constants } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { maxLineBytes } from './audit-entry.ts'

/** Minimum interval between checks whether the file was moved. */
const lookEveryMs = 1_000
const maxBatchBytes = 65_536
const tornLooks = 10
const tornLookMs = 50
/** Appends, also with several processes or after truncation; a full pipe returns an error instead of blocking. */
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK

/** A file that grows by whole lines. Not for concurrent callers. */
export interface AppendFile extends AsyncDisposable {
  /** Opens the file, or opens it again when the path now names another file. */
  ready(): Promise<void>
  /** Writes a prefix of the lines and returns their number; throws when it could write none. */
  append(lines: readonly Buffer[]): Promise<number>
  /** Makes the next `ready` open the file again. */
  reopen(): void
}

interface OpenFile {
  readonly handle: FileHandle
  readonly inode: string
  readonly isFile: boolean
}

export function createAppendFile(path: string): AppendFile {
  let current: OpenFile | undefined
  let isStale = false
  let lookedAt = 0
  const close = async () => {
    const closing = current
    current = undefined
    await closing?.handle.close().catch(() => {})
  }
  const ready = async () => {
    if (current && performance.now() - lookedAt > lookEveryMs) {
      isStale ||= (await inodeAt(path)) !== current.inode
      lookedAt = performance.now()
    }
    if (isStale) await close()
    isStale = false
    if (current) return current
    current = await openFile(path)
    lookedAt = performance.now()
    return current
  }
  return {
    ready: async () => void (await ready()),
    append: async (lines) => {
      const { handle, isFile } = await ready()
      const count = fitting(lines, isFile ? maxBatchBytes : maxLineBytes)
      const bytes = Buffer.concat(lines.slice(0, count))
      try {
        const { bytesWritten } = await handle.write(bytes)
        if (bytesWritten === bytes.length) return count
        // The disk is full in the middle of a line: opening the file again ends that line, and the line is written again.
        isStale = true
        return wholeLines(lines, bytesWritten)
      } catch (error) {
        if (!isFull(error)) isStale = true
        throw error
      }
    },
    reopen: () => {
      isStale = true
    },
    [Symbol.asyncDispose]: close,
  }
}

/** Whether a pipe is full: its reader may still make room. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN'
}

async function openFile(path: string): Promise<OpenFile> {
  const handle = await open(path, flags, 0o600)
  try {
    const found = await handle.stat()
    const isFile = found.isFile()
    if (isFile && (await isTorn(path))) await handle.write('\n')
    return { handle, inode: `${found.dev} ${found.ino}`, isFile }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Whether the last line is incomplete, so that the next write would continue it. While another process writes, the file may
 * briefly end in the middle of a line.
 */
async function isTorn(path: string): Promise<boolean> {
  await using reading = await open(path, 'r')
  let before = 0
  for (let looks = 0; looks < tornLooks; looks++) {
    const { size } = await reading.stat()
    const { buffer, bytesRead } = await reading.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
    if (bytesRead === 0 || buffer[0] === 0x0a) return false
    if (size === before) return true
    before = size
    await sleep(tornLookMs)
  }
  return false
}

async function inodeAt(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  return found ? `${found.dev} ${found.ino}` : 'nothing'
}

/** The number of lines that fit; at least one. */
function fitting(lines: readonly Buffer[], most: number): number {
  let count = 0
  let bytes = 0
  for (const { length } of lines) {
    bytes += length
    if (count > 0 && bytes > most) break
    count++
  }
  return count
}

function wholeLines(lines: readonly Buffer[], bytes: number): number {
  let left = bytes
  let count = 0
  for (const { length } of lines) {
    left -= length
    if (left < 0) break
    count++
  }
  return count
}
