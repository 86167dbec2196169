import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** CPU by who used it. */
export interface Cpu {
  readonly host: number
  readonly plugin: number
  /** Every PostgreSQL process of the machine. */
  readonly database: number
}

export const parts = ['host', 'plugin', 'database'] as const satisfies readonly (keyof Cpu)[]

export interface Processes {
  readonly host: readonly number[]
  readonly plugin?: readonly number[]
}

/** CPU seconds used so far. */
export function cpuOf({ host, plugin = [] }: Processes): Cpu {
  return {
    host: cpuSecondsOf(...host),
    plugin: cpuSecondsOf(...plugin),
    database: databaseCpuSeconds(),
  }
}

export function cpuSecondsOf(...pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (usageOf(pid)?.own ?? 0), 0)
}

export function databaseCpuSeconds(): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const used = pids.map((pid) => usageOf(Number(pid)))
  return used.reduce((sum, one) => sum + (one?.name === 'postgres' ? one.own + one.ofChildren : 0), 0)
}

interface Usage {
  readonly name: string
  readonly own: number
  /** Of children that have ended. */
  readonly ofChildren: number
}

/** Undefined if the process is gone. */
function usageOf(pid: number): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const end = stat.lastIndexOf(')')
    const fields = stat.slice(end + 2).split(' ')
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number)
    return {
      name: stat.slice(stat.indexOf('(') + 1, end),
      own: (user + system) / ticksPerSecond,
      ofChildren: (childUser + childSystem) / ticksPerSecond,
    }
  } catch {
    return undefined
  }
}
