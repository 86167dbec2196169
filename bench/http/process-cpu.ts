import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** Seconds of CPU that a process and every PostgreSQL backend have used. */
export function cpuSecondsOf(pid: number): number {
  let ticks = 0
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      if (Number(entry) !== pid && !stat.includes('(postgres)')) continue
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // The process ended while we looked.
    }
  }
  return ticks / ticksPerSecond
}
