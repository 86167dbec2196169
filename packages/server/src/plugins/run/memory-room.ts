import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Memory that the host may need for itself, with full caches and many watches. */
export const hostReserveBytes = 512 * 1024 * 1024
/** The value that cgroup v1 reports for "no limit". */
const unlimitedBytes = 2 ** 60

/** A warning for the operator when the host and all plugins at their limits would not fit into the container. */
export function memoryWarning(containerBytes: number, pluginBytes: readonly number[]): string | undefined {
  const forPlugins = pluginBytes.reduce((sum, bytes) => sum + bytes, 0)
  const needed = hostReserveBytes + forPlugins
  if (needed <= containerBytes) return undefined
  return [
    `${mebibytes(needed)} may be needed (${mebibytes(hostReserveBytes)} for the host,`,
    `${mebibytes(forPlugins)} for ${pluginBytes.length} plugins), and there are ${mebibytes(containerBytes)};`,
    'give the container more memory, or lower the limits of plugins',
  ].join(' ')
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / (1024 * 1024))} MiB`
}

/** The lowest memory limit of this process's cgroup and its parents; undefined when there is none. */
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

/**
 * From the process's own cgroup up to the root. Inside a container the path may not be visible, but the root is the container's
 * own.
 */
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
