import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** Seconds of CPU that some processes and every PostgreSQL backend have used. */
export function cpuSecondsOf(...pids: readonly number[]): number {
  let ticks = 0
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      if (!pids.includes(Number(entry)) && !stat.includes('(postgres)')) continue
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      ticks += Number(fields[11]) + Number(fields[12])
      // Of backends that have ended, by the server that they belonged to.
      if (stat.includes('(postgres)')) ticks += Number(fields[13]) + Number(fields[14])
    } catch {
      // The process ended while we looked.
    }
  }
  return ticks / ticksPerSecond
}
