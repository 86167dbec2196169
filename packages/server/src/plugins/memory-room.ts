import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the host may come to need for itself, with full caches and many watches. */
export const hostReserveBytes = 512 * 1024 * 1024
/** What the kernel says where there is no limit, in its older form. */
const unlimitedBytes = 2 ** 60

export interface MemoryRoom {
  /** That all of us may take together. */
  readonly containerBytes: number
  readonly plugins: number
  readonly pluginBytes: number
}

/** What to tell an operator when all plugins at their limits, and the host, would not fit. */
export function memoryWarning({ containerBytes, plugins, pluginBytes }: MemoryRoom): string | undefined {
  const needed = hostReserveBytes + plugins * pluginBytes
  if (needed <= containerBytes) return undefined
  return [
    `${mebibytes(needed)} may be needed (${mebibytes(hostReserveBytes)} for the host,`,
    `${plugins} plugins of ${mebibytes(pluginBytes)}), and there are ${mebibytes(containerBytes)};`,
    'give the container more memory, or lower plugins.memoryLimit',
  ].join(' ')
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / (1024 * 1024))} MiB`
}

/** The least that we and whatever holds us may take; undefined where nothing is said. */
export function containerMemory(root = '/'): number | undefined {
  const groups = read(join(root, 'proc/self/cgroup'))?.split('\n') ?? []
  const limits = groups.flatMap((line) => {
    const [, kind, path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (kind === '') return limitsAlong(join(root, 'sys/fs/cgroup'), path, 'memory.max')
    if (kind?.split(',').includes('memory') === true) {
      return limitsAlong(join(root, 'sys/fs/cgroup/memory'), path, 'memory.limit_in_bytes')
    }
    return []
  })
  return limits.length > 0 ? Math.min(...limits) : undefined
}

/** From where we are up to the top; inside a container the way there may not be seen, but the top is its own. */
function limitsAlong(top: string, path: string, file: string): readonly number[] {
  const names = path.split('/').filter((name) => name !== '')
  const folders = Array.from({ length: names.length + 1 }, (_, kept) => join(top, ...names.slice(0, kept)))
  return folders.flatMap((folder) => {
    const bytes = Number.parseInt(read(join(folder, file)) ?? '', 10)
    return bytes < unlimitedBytes ? [bytes] : []
  })
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
