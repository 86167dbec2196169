import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync, writeSync, openSync, closeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const source = join(import.meta.dirname, 'moved-clock.c')

/** Moves the wall clock of single processes; their monotonic clocks are unchanged. */
export interface MovedClocks extends Disposable {
  /** Environment for the process with that number. */
  environment(at: number): Readonly<Record<string, string>>
  /** Moves the clock by seconds; negative values are in the past. */
  move(at: number, seconds: number): void
}

/** Undefined without a C compiler. */
export function makeMovedClocks(): MovedClocks | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-clocks-'))
  const library = join(directory, 'moved-clock.so')
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'])
  const remove = () => rmSync(directory, { recursive: true })
  if (status !== 0) {
    remove()
    return undefined
  }
  const fileOf = (at: number) => join(directory, String(at))
  return {
    environment: (at) => {
      writeFileSync(fileOf(at), bytesOf(0))
      return { LD_PRELOAD: library, MOVED_CLOCK: fileOf(at) }
    },
    move: (at, seconds) => {
      // Written in place, because the process has mapped this file.
      const file = openSync(fileOf(at), 'r+')
      writeSync(file, bytesOf(seconds), 0, 8, 0)
      closeSync(file)
    },
    [Symbol.dispose]: remove,
  }
}

function bytesOf(seconds: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(BigInt(seconds))
  return bytes
}
