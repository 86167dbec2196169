import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Figures } from './compete.ts'

/** Section of the page on performance. */
export type Section =
  | 'requests'
  | 'custom-api'
  | 'commit-to-frame'
  | 'growth'
  | 'peers'
  | 'store'
  | 'compression'
  | 'start-and-memory'

/** Tables and charts of the page on performance. */
export interface Result {
  readonly section: Section
  readonly title: string
  /** What is compared, in one or two sentences. */
  readonly text: string
  readonly rows?: readonly ResultRow[]
  readonly series?: readonly Series[]
  readonly steps?: readonly Step[]
  readonly facts?: readonly Fact[]
  /** What limits the figures and what would lift the limit, in one sentence. */
  readonly limits?: string
}

/** A growth curve of ours. */
export interface Series {
  readonly operation: string
  /** For example `µs of CPU`. */
  readonly unit: string
  /** What `x` counts, for example `objects`. */
  readonly xLabel: string
  /** By ascending `x`. */
  readonly points: readonly Point[]
}

export interface Point {
  /** Above 0, because its axis is logarithmic. */
  readonly x: number
  readonly value: number
  /** The middle half of the rounds. */
  readonly spread?: readonly [number, number]
}

/** One hop on the way of a change. */
export interface Step {
  readonly step: string
  /** In milliseconds. */
  readonly p50: number
  readonly p99: number
  /** In microseconds for each change. */
  readonly cpu?: number
}

/** A single figure. */
export interface Fact {
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
export interface Recorded extends Result {
  /** `<suite>-<part>`. */
  readonly name: string
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
  const recorded: Omit<Recorded, 'name'> = {
    command,
    date: new Date().toISOString().slice(0, 10),
    commit,
    machine,
    ...result,
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(recorded, rounded, 2)}\n`)
}

/** Sorted by name. */
export function readResults(): readonly Recorded[] {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : []
  return files.toSorted().map((file) => {
    const recorded = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Omit<Recorded, 'name'>
    return { name: file.slice(0, -'.json'.length), ...recorded }
  })
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
