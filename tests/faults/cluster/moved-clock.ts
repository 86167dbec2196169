import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync, writeSync, openSync, closeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const source = join(import.meta.dirname, 'moved-clock.c')

/** The time of day of some processes, each by itself; every other clock of theirs is as it is. */
export interface MovedClocks extends Disposable {
  /** For the process with that number, which is about to start. */
  environment(at: number): Readonly<Record<string, string>>
  /** So many seconds ahead; a negative number is behind. */
  move(at: number, seconds: number): void
}

/** Undefined where there is no compiler. */
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
      // In place: the process has mapped this file, and not another one of its name.
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
