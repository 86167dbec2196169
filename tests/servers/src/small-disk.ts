import { spawnSync } from 'node:child_process'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  rmdirSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceAccountIds } from './process.ts'

const prefix = 'pergola-disk-'
/** Chunk sizes from large to small, so that the disk is filled to the last page. */
const chunks = [1024 * 1024, 4 * 1024].map((size) => Buffer.alloc(size))

/** A directory with limited space. */
export interface SmallDisk extends Disposable {
  readonly directory: string
  /** Fills the remaining space. */
  fill(): void
  /** Frees the space that `fill` used. */
  empty(): void
}

/** Undefined if this process may not mount file systems. */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  clearAway()
  const directory = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory])
  if (status !== 0) {
    rmdirSync(directory)
    return undefined
  }
  const account = serviceAccountIds()
  if (account) chownSync(directory, account.uid, account.gid)
  const ballast = join(directory, 'ballast')
  return {
    directory,
    fill: () => {
      const file = openSync(ballast, 'a')
      for (const chunk of chunks) while (isWritten(file, chunk));
      closeSync(file)
    },
    empty: () => rmSync(ballast, { force: true }),
    [Symbol.dispose]: () => unmount(directory),
  }
}

/** False if there is not enough space. */
function isWritten(file: number, chunk: Buffer): boolean {
  try {
    return writeSync(file, chunk) > 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    return false
  }
}

/** Removes what a killed run left behind. */
function clearAway(): void {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(prefix))) {
    const owner = Number(name.slice(prefix.length).split('-')[0])
    if (!existsSync(`/proc/${owner}`)) unmount(join(tmpdir(), name))
  }
}

function unmount(directory: string): void {
  // Lazy, because a process may still be exiting in it.
  spawnSync('umount', ['--lazy', directory])
  rmSync(directory, { recursive: true, force: true })
}
