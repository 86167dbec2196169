import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, renameSync, writeSync } from 'node:fs'
import type { Terminal } from '../terminal/terminal.ts'

/** Where an export is written to. */
export interface ExportTarget {
  write(text: string): Promise<void>
  /** Bytes that are certainly stored. */
  settled(): number
  /** Gives the file its name. */
  finish(): void
  close(): void
}

export function stdoutTarget(terminal: Terminal): ExportTarget {
  return { write: (text) => terminal.write(text), settled: () => 0, finish: () => undefined, close: () => undefined }
}

/** Writes `<file>.partial`, readable only by its owner, continued behind `bytes`. */
export function fileTarget(file: string, bytes: number): ExportTarget {
  const partial = `${file}.partial`
  const descriptor = openSync(partial, bytes === 0 ? 'w' : 'r+', 0o600)
  ftruncateSync(descriptor, bytes)
  let position = bytes
  return {
    write: async (text) => {
      const content = Buffer.from(text)
      for (let written = 0; written < content.length;) {
        written += writeSync(descriptor, content, written, content.length - written, position + written)
      }
      position += content.length
    },
    settled: () => {
      fdatasyncSync(descriptor)
      return fstatSync(descriptor).size
    },
    finish: () => renameSync(partial, file),
    close: () => closeSync(descriptor),
  }
}
