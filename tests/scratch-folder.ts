import { readFileSync, statfsSync } from 'node:fs'

const memoryFolder = '/dev/shm'
/** Size of two PostgreSQL servers with their databases and logs, and of unpacked and built files. */
const wantedBytes = 6 * 1024 ** 3

/**
 * Folder for temporary files of tests: in memory, where a commit of SQLite does not wait for the disk, unless it is too small
 * or does not allow executing files. Undefined means the default folder. No test cuts the power.
 */
export function scratchFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder)
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const options = mounts.map((line) => line.split(' ')).find(([, where]) => where === memoryFolder)?.[3] ?? 'noexec'
    return bavail * bsize >= wantedBytes && !options.split(',').includes('noexec') ? memoryFolder : undefined
  } catch {
    return undefined
  }
}
