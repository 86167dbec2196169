import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

/** Unit costs. */
export type UnitName =
  | 'relayMicroseconds'
  | 'relaySteadyMicroseconds'
  | 'catchUpPerSecond'
  | 'replicaMicroseconds'
  | 'databaseShareByLog'
  | 'databaseShareByNats'
  | 'natsMicroseconds'
  | 'messageBytes'
  | 'writeMicroseconds'
  | 'databaseWriteMicroseconds'
  | 'objectBytes'
  | 'changeBytes'
  | 'deliveryMicroseconds'
  | 'watcherKilobytes'

export interface Unit {
  readonly value: number
  /** The command that measured it. */
  readonly command: string
  readonly on: string
  readonly at: string
}

export type Units = Readonly<Partial<Record<UnitName, Unit>>>

const file = join(import.meta.dirname, 'measured.json')

export function readUnits(): Units {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Units) : {}
}

/** Stores them beside those of other commands. */
export function recordUnits(measured: Readonly<Partial<Record<UnitName, number>>>, command: string): void {
  const on = `${cpus().length} cores, Node.js ${process.versions.node}`
  const at = new Date().toISOString().slice(0, 10)
  const units = Object.entries(measured).map(([name, value]) => [
    name,
    { value: Number(value.toPrecision(4)), command, on, at },
  ])
  const all = { ...readUnits(), ...(Object.fromEntries(units) as Units) }
  writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`)
}
