import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const top = '/sys/fs/cgroup'
const goneMs = 5_000

/** A control group with a memory limit. */
export interface MemoryGroup extends AsyncDisposable {
  readonly folder: string
  /** Peak memory of all its processes. */
  peakMegabytes(): number
  /** Sets the limit to the current use plus this amount. */
  leave(bytes: number): void
  /** Number of processes killed by the kernel. */
  kills(): number
}

/** Creates a group below our own; undefined without permission. */
export function createMemoryGroup(bytes: number): MemoryGroup | undefined {
  const own = ownFolder()
  if (own === undefined) return undefined
  const folder = join(own, `pergola-${process.pid}-${Date.now()}`)
  try {
    mkdirSync(folder)
  } catch {
    return undefined
  }
  const limit = ['memory.max', 'memory.limit_in_bytes']
    .map((file) => join(folder, file))
    .find((file) => existsSync(file))
  if (limit === undefined) {
    rmdirSync(folder)
    return undefined
  }
  writeFileSync(limit, String(bytes))
  const number = (files: readonly string[], form: RegExp) => {
    const file = files.map((one) => join(folder, one)).find((one) => existsSync(one))
    return Number(form.exec(file === undefined ? '' : readFileSync(file, 'utf8'))?.[1])
  }
  return {
    folder,
    peakMegabytes: () => number(['memory.peak', 'memory.max_usage_in_bytes'], /^(\d+)/) / (1024 * 1024),
    leave: (room) => {
      const used = number(['memory.current', 'memory.usage_in_bytes'], /^(\d+)/)
      writeFileSync(limit, String(used + room))
    },
    kills: () => number(['memory.events', 'memory.oom_control'], /oom_kill (\d+)/),
    [Symbol.asyncDispose]: async () => {
      // Its processes may still be exiting.
      for (const deadline = performance.now() + goneMs; performance.now() < deadline; await sleep(50)) {
        try {
          return rmdirSync(folder)
        } catch {}
      }
    },
  }
}

function ownFolder(): string | undefined {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n')
  const pathOf = (form: RegExp) => lines.flatMap((line) => form.exec(line)?.[1] ?? []).at(0)
  const older = pathOf(/^\d+:memory:(.*)$/)
  const newer = pathOf(/^0::(.*)$/)
  if (older !== undefined) return join(top, 'memory', older)
  return newer === undefined ? undefined : join(top, newer)
}
