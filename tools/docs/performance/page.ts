import { readResults, type Fact, type Recorded, type ResultRow } from '../../../bench/measure/result.ts'
import type { Figures } from '../../../bench/measure/compete.ts'
import { table } from '../markdown.ts'

/** The measured part of the page on performance: a section for each file of `bench/results`. */
export function performanceSections(): string {
  return readResults().map(sectionOf).join('\n\n')
}

export function pictureOf(name: string): string {
  return `pictures/performance-${name}.svg`
}

function sectionOf({ name, title, text, rows = [], facts = [], ...run }: Recorded & { readonly name: string }): string {
  const picture = rows.length > 0 ? [`![CPU per operation, by process](${pictureOf(name)})`] : []
  const tables = [
    ...(rows.length > 0 ? [table(rowHead, rows.flatMap(cellsOf))] : []),
    ...(facts.length > 0 ? [table(['', 'Measured', 'Goal'], facts.map(factCells))] : []),
  ]
  const source = `\`${run.command}\`, ${run.date}, commit ${run.commit}, ${run.machine}.`
  return [`## ${title}`, text, ...picture, ...tables, source].join('\n\n')
}

const rowHead = [
  'Operation',
  'Callers',
  'Server',
  'Host µs',
  'Plugin µs',
  'Database µs',
  'All µs',
  'Multiple',
  'Goal',
  'Per second',
  'p50 ms',
  'p99 ms',
]

function cellsOf({ operation, callers, figures, goal }: ResultRow): readonly (readonly string[])[] {
  return figures.map((one, at) => {
    const isOurs = at === 0
    const { name, cpu, total, perSecond, p50, p99 } = one
    return [
      isOurs ? operation : '',
      isOurs ? String(callers) : '',
      name,
      ...[cpu.host, cpu.plugin, cpu.database, total].map((microseconds) => microseconds.toFixed(0)),
      isOurs ? multiple(one) : '1',
      isOurs && goal !== undefined ? String(goal) : '',
      perSecond.toFixed(0),
      p50.toFixed(1),
      p99.toFixed(1),
    ]
  })
}

function multiple({ ratio, middleHalf }: Figures): string {
  return `**${ratio.toFixed(2)}** (${middleHalf.map((one) => one.toFixed(2)).join(' to ')})`
}

function factCells({ what, value, unit, goal }: Fact): readonly string[] {
  return [what, `${value} ${unit}`, goal === undefined ? '' : `${goal} ${unit}`]
}
