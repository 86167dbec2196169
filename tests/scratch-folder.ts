import { readFileSync, statfsSync } from 'node:fs'

const memoryFolder = '/dev/shm'
/** Two PostgreSQL servers with their databases and logs, and what tests unpack and build. */
const wantedBytes = 6 * 1024 ** 3

/**
 * Where temporary files of tests go: memory, where a commit of SQLite does not wait for the disk, unless there is little of
 * it or nothing may be run from there. Undefined stands for the usual place. No test cuts the power.
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
