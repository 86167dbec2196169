import { cpuOf, parts, type Cpu, type Processes } from './cpu.ts'
import { median, middleHalf, quantile } from './statistics.ts'

/** A server in a comparison. */
export interface Contestant {
  readonly name: string
  readonly processes: Processes
  /** One operation; `at` counts up over the whole run. */
  readonly operation: (at: number) => Promise<unknown>
  /** Operations of its round, as a multiple of `count`; more for a cheap one, because CPU is counted in ticks of 10 ms. */
  readonly times?: number
}

/** One round of a contestant. */
export interface Round {
  /** In microseconds per operation. */
  readonly cpu: Cpu
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

/** Medians of its rounds. */
export interface Figures extends Round {
  readonly name: string
  readonly total: number
  /** Its CPU as a multiple of the reference's, of the same round. */
  readonly ratio: number
  readonly middleHalf: readonly [number, number]
}

export interface CompeteOptions {
  readonly callers: number
  /** Operations of a round. */
  readonly count: number
  readonly rounds: number
  /** Whose CPU counts; by default, everybody's. */
  readonly counted?: readonly (keyof Cpu)[]
  /** What ratios relate to: the last contestant, or the cheapest after the first, whose figures then come last. */
  readonly reference?: 'last' | 'cheapest'
}

/** A caller that waits for each answer needs 20,000 requests until everything is compiled, at twice the CPU before. */
const leastOperations = 20_000
const leastWarmUps = 6
/** Rounds after those. */
const mostMore = 6
/** Warm when the CPU of three rounds differs by less from that of the three before. */
const stable = 0.05

/** Interleaved rounds of the contestants, after as many to warm up as their CPU needs to settle. */
export async function compete(
  contestants: readonly Contestant[],
  { callers, count, rounds, counted = parts, reference = 'last' }: CompeteOptions,
): Promise<readonly Figures[]> {
  const series = contestants.map((): Round[] => [])
  let from = 0
  const round = async (turn: number) => {
    const inTurn = [...contestants.entries()]
    for (const [at, contestant] of turn % 2 === 0 ? inTurn : inTurn.toReversed()) {
      const { times = 1 } = contestant
      const measured = await runRound(contestant, { callers, count: count * times, from: from * times })
      series[at]?.push(withOnly(counted, measured))
    }
    from += count
  }
  const least = Math.max(leastWarmUps, callers === 1 ? leastOperations / count : 0)
  for (let turn = 0; turn < least || (turn < least + mostMore && !series.every(isWarm)); turn++) await round(turn)
  for (const one of series) one.length = 0
  for (let turn = 0; turn < rounds; turn++) await round(turn)
  const all = contestants.map(({ name }, at) => ({ name, rounds: series[at] ?? [] }))
  const ordered = reference === 'cheapest' ? cheapestLast(all) : all
  const compared = ordered.at(-1)?.rounds ?? []
  return ordered.map((one) => summaryOf(one.name, one.rounds, compared))
}

interface Measured {
  readonly name: string
  readonly rounds: readonly Round[]
}

function cheapestLast([first, ...others]: readonly Measured[]): readonly Measured[] {
  const total = ({ rounds }: Measured) => median(rounds.map(totalOf))
  const sorted = others.toSorted((a, b) => total(b) - total(a))
  return first ? [first, ...sorted] : sorted
}

function withOnly(counted: readonly (keyof Cpu)[], round: Round): Round {
  const part = (name: keyof Cpu) => (counted.includes(name) ? round.cpu[name] : 0)
  return { ...round, cpu: { host: part('host'), plugin: part('plugin'), database: part('database') } }
}

function isWarm(rounds: readonly Round[]): boolean {
  const [before, last] = [rounds.slice(-6, -3), rounds.slice(-3)].map((some) => median(some.map(totalOf)))
  return Math.abs((last ?? 0) / (before ?? 0) - 1) < stable
}

export function totalOf({ cpu }: Round): number {
  return parts.reduce((sum, part) => sum + cpu[part], 0)
}

function summaryOf(name: string, rounds: readonly Round[], reference: readonly Round[]): Figures {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick))
  const ratios = rounds.map((round, at) => totalOf(round) / totalOf(reference[at] ?? round))
  return {
    name,
    cpu: {
      host: of(({ cpu }) => cpu.host),
      plugin: of(({ cpu }) => cpu.plugin),
      database: of(({ cpu }) => cpu.database),
    },
    total: of(totalOf),
    perSecond: of(({ perSecond }) => perSecond),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    ratio: median(ratios),
    middleHalf: middleHalf(ratios),
  }
}

export interface RoundOptions {
  readonly callers: number
  readonly count: number
  /** Number of the first operation. */
  readonly from: number
}

/** Keeps `callers` operations in flight until `count` are done. */
export async function runRound(
  { operation, processes }: Omit<Contestant, 'name'>,
  { callers, count, from }: RoundOptions,
): Promise<Round> {
  const latencies: number[] = []
  let next = from
  const before = cpuOf(processes)
  const began = performance.now()
  const caller = async () => {
    while (next < from + count) {
      const sent = performance.now()
      await operation(next++)
      latencies.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const seconds = (performance.now() - began) / 1000
  const after = cpuOf(processes)
  const microseconds = (part: keyof Cpu) => ((after[part] - before[part]) * 1e6) / count
  const sorted = latencies.toSorted((a, b) => a - b)
  return {
    cpu: { host: microseconds('host'), plugin: microseconds('plugin'), database: microseconds('database') },
    perSecond: count / seconds,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
  }
}
