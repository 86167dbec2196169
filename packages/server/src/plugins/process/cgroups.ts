import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The kernel counts threads; Node.js has a dozen. */
export const threadsEach = 16

/** Resource usage of all processes of a plugin. */
export interface ProcessUse {
  readonly processes: number
  /** Without a cgroup, shared pages are counted for each process. */
  readonly bytes: number
  /** CPU time so far; without a cgroup, without that of processes whose parent exited before them. */
  readonly cpuSeconds: number
}

/** A cgroup v2 of one plugin: the kernel counts and limits its processes. Those of a separate account cannot leave it. */
export interface Cgroup extends Disposable {
  /** Moves a process and its future children into it; returns whether the kernel accepted it. */
  add(pid: number): boolean
  use(): ProcessUse
  /** Whether the kernel has killed one of its processes because of the memory limit. */
  hasRunOut(): boolean
  kill(): void
}

export interface Cgroups {
  /** Undefined if the kernel rejects it. */
  create(name: string, limits: CgroupLimits): Cgroup | undefined
}

interface CgroupLimits {
  readonly memoryBytes: number
  readonly processes: number
}

const host = { top: '/sys/fs/cgroup', self: '/proc/self/cgroup', pid: process.pid }

/**
 * Uses the cgroup that the host runs in, when it is delegated: it is writable, has both controllers, and the host is alone in
 * it. The host then moves to a child of its own, because a cgroup with processes cannot limit children. Undefined elsewhere.
 */
export function openCgroups({ top, self, pid } = host): Cgroups | undefined {
  const [, path] = /^0::(.+)$/m.exec(textOf(self)) ?? []
  if (path === undefined) return undefined
  const folder = join(top, path)
  const controllers = wordsOf(join(folder, 'cgroup.controllers'))
  const isUsable =
    controllers.includes('memory') && controllers.includes('pids') && existsSync(join(folder, 'cgroup.kill'))
  if (!isUsable || wordsOf(join(folder, 'cgroup.procs')).join() !== String(pid)) return undefined
  const isDelegated = tried(() => {
    mkdirSync(join(folder, 'host'), { recursive: true })
    writeFileSync(join(folder, 'host', 'cgroup.procs'), String(pid))
    writeFileSync(join(folder, 'cgroup.subtree_control'), '+memory +pids')
  })
  return isDelegated ? { create: (name, limits) => createCgroup(join(folder, name), limits) } : undefined
}

function createCgroup(folder: string, { memoryBytes, processes }: CgroupLimits): Cgroup | undefined {
  const file = (name: string) => join(folder, name)
  const isLimited = tried(() => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file('memory.max'), String(memoryBytes))
    writeFileSync(file('memory.oom.group'), '1')
    writeFileSync(file('pids.max'), String(processes * threadsEach))
  })
  if (!isLimited) return undefined
  return {
    add: (pid) => tried(() => writeFileSync(file('cgroup.procs'), String(pid))),
    // pids.current counts threads; the documented limit counts processes.
    use: () => ({
      bytes: Number(textOf(file('memory.current'))),
      processes: wordsOf(file('cgroup.procs')).length,
      cpuSeconds: Number(/^usage_usec (\d+)/m.exec(textOf(file('cpu.stat')))?.[1] ?? 0) / 1e6,
    }),
    hasRunOut: () => /^oom_kill [1-9]/m.test(textOf(file('memory.events'))),
    kill: () => void tried(() => writeFileSync(file('cgroup.kill'), '1')),
    // Fails while the kernel still ends its processes; an empty cgroup costs nothing.
    [Symbol.dispose]: () => void tried(() => rmdirSync(folder)),
  }
}

/** Whether the kernel accepted the write: interface files reject disallowed values. */
function tried(write: () => void): boolean {
  try {
    write()
    return true
  } catch {
    return false
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function wordsOf(file: string): readonly string[] {
  return textOf(file)
    .split(/\s+/)
    .filter((word) => word !== '')
}
