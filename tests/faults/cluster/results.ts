import { figuresOf as figuresOfReaders, violationsIn, type RoundFigures } from '../watch/results.ts'
import type { Variant } from './installation.ts'
import type { PassedFault, RoundResult } from './round.ts'

/** The recorded results of a round. */
export interface ClusterFigures extends Omit<RoundFigures, 'troubles'> {
  readonly variant: Variant
  readonly faults: readonly PassedFault[]
  /** Lost acknowledged writes, by the fault that may lose writes. */
  readonly lostWrites: number
  readonly lostBy: string | undefined
  /** Readers that saw lost changes, and streams that were rejected for it. */
  readonly bereft: number
  readonly refused410: number
}

export function figuresOf(result: RoundResult, { seed, variant }: { seed: number; variant: Variant }): ClusterFigures {
  const { verdict, faults, fork } = result
  const { troubles: _, ...figures } = figuresOfReaders({ ...result, tally: {}, violations: verdict.violations }, seed)
  const { lostWrites, bereft, refused } = verdict
  const lostBy = fork && faults.find(({ forks }) => forks)?.name
  return { ...figures, variant, faults, lostWrites, lostBy, bereft, refused410: refused }
}

/** One line for each fault, then the totals; the last line is the summary. */
export function tableOf(rounds: readonly ClusterFigures[]): string {
  const all = rounds.flatMap(({ faults }) => faults)
  const names = [...new Set(all.map(({ name }) => name))].toSorted()
  const rows = names.map((name) => {
    const times = all.filter((one) => one.name === name).map(({ recoveryMs }) => recoveryMs)
    const lost = sum(rounds.filter(({ lostBy }) => lostBy === name).map(({ lostWrites }) => lostWrites))
    return row([name, times.length, seconds(middle(times)), seconds(Math.max(...times)), lost])
  })
  const total = (figure: (round: ClusterFigures) => number) => sum(rounds.map(figure))
  return [
    row(['fault', 'times', 'p50 s', 'max s', 'lost writes']),
    ...rows,
    `${total((one) => one.done)} writes done, ${total((one) => one.refused)} refused, ${total((one) => one.unknown)} without an answer; ${total((one) => one.lists)} lists, ${total((one) => one.streams)} streams, ${total((one) => one.resumed)} resumed, ${total((one) => one.frames)} frames, ${total((one) => one.expired)} told 410`,
    `${total((one) => one.bereft)} readers had seen what was lost; ${total((one) => one.refused410)} times somebody came back from there and was told 410`,
    `watch violations ${total(watchViolations)}, wrong lists ${total((one) => (one.violations['lists'] ?? 0) + (one.violations['initial-exact'] ?? 0))}`,
    `${all.length} faults in ${rounds.length} rounds, ${total((one) => one.changes)} changes, ${total(violationsIn)} violations`,
  ].join('\n')
}

const others = new Set(['lists', 'initial-exact', 'database', 'recovered', 'acknowledged', 'nothing lost'])

function watchViolations({ violations }: ClusterFigures): number {
  return sum(Object.entries(violations).map(([name, count]) => (others.has(name) ? 0 : count)))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor((numbers.length - 1) / 2)] ?? 0
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(2)
}

function row([first = '', ...cells]: readonly (string | number)[]): string {
  return String(first).padEnd(24) + cells.map((cell) => String(cell).padStart(13)).join('')
}
