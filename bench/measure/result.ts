import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Figures } from './compete.ts'

/** A table of the page on performance. */
export interface Result {
  readonly title: string
  /** What is compared, in one or two sentences. */
  readonly text: string
  readonly rows?: readonly ResultRow[]
  readonly facts?: readonly Fact[]
}

/** A single figure. */
interface Fact {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** Highest value that we want. */
  readonly goal?: number
}

export interface ResultRow {
  readonly operation: string
  readonly callers: number
  /** Ours first, then what it is compared with. */
  readonly figures: readonly Figures[]
  /** Highest multiple of the other's CPU that we want. */
  readonly goal?: number
}

/** A result with what is needed to repeat it. */
interface Recorded extends Result {
  readonly command: string
  readonly date: string
  readonly commit: string
  readonly machine: string
}

const folder = join(import.meta.dirname, '../results')

export function recordResult(name: string, result: Result, command: string): void {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim()
  const memory = (totalmem() / 2 ** 30).toFixed(0)
  const machine = `${cpus().length} shared cores (${cpus()[0]?.model ?? 'unknown'}), ${memory} GiB, Node.js ${process.versions.node}, PostgreSQL 18`
  const recorded: Recorded = { command, date: new Date().toISOString().slice(0, 10), commit, machine, ...result }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(recorded, rounded, 2)}\n`)
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}

/** Prints a row of a comparison. */
export function printRow({ operation, callers, figures, goal }: ResultRow): void {
  const [ours] = figures
  const ratio = `${ours?.ratio.toFixed(2)} (${ours?.middleHalf.map((one) => one.toFixed(2)).join('-')})`
  console.log(
    `${operation}, ${callers} ${callers === 1 ? 'caller' : 'callers'}: ${ratio}${goal === undefined ? '' : `, goal ${goal}`}`,
  )
  for (const { name, cpu, total, perSecond, p50, p99 } of figures) {
    const split = `${cpu.host.toFixed(0)} host + ${cpu.plugin.toFixed(0)} plugin + ${cpu.database.toFixed(0)} database`
    console.log(
      `  ${name.padEnd(20)}${total.toFixed(0).padStart(6)} µs (${split}), ${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    )
  }
}

/** The rows whose goal is not reached, as words. */
export function missedGoals(rows: readonly ResultRow[]): readonly string[] {
  return rows
    .filter(({ figures: [ours], goal }) => goal !== undefined && (ours?.ratio ?? 0) > goal)
    .map(
      ({ operation, callers, figures: [ours], goal }) =>
        `${operation} at ${callers}: ${ours?.ratio.toFixed(2)}, goal ${goal}`,
    )
}
