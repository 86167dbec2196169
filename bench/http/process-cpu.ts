import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** CPU seconds used by some processes and all PostgreSQL backends. */
export function cpuSecondsOf(...pids: readonly number[]): number {
  let ticks = 0
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      if (!pids.includes(Number(entry)) && !stat.includes('(postgres)')) continue
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      ticks += Number(fields[11]) + Number(fields[12])
      // CPU of exited backends, by server.
      if (stat.includes('(postgres)')) ticks += Number(fields[13]) + Number(fields[14])
    } catch {
      // The process exited meanwhile.
    }
  }
  return ticks / ticksPerSecond
}
