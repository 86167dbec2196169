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
/** From much to little, so that not even a page is left. */
const chunks = [1024 * 1024, 4 * 1024].map((size) => Buffer.alloc(size))

/** A directory with room for so much and no more. */
export interface SmallDisk extends Disposable {
  readonly directory: string
  /** Takes all the room that is left. */
  fill(): void
  /** Gives back what `fill` took. */
  empty(): void
}

/** Undefined where this process may not mount anything. */
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

/** False when there is no room for it. */
function isWritten(file: number, chunk: Buffer): boolean {
  try {
    return writeSync(file, chunk) > 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    return false
  }
}

/** What a killed run left behind. */
function clearAway(): void {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(prefix))) {
    const owner = Number(name.slice(prefix.length).split('-')[0])
    if (!existsSync(`/proc/${owner}`)) unmount(join(tmpdir(), name))
  }
}

function unmount(directory: string): void {
  // Also when somebody still ends in it.
  spawnSync('umount', ['--lazy', directory])
  rmSync(directory, { recursive: true, force: true })
}
