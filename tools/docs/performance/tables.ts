import { parts } from '../../../bench/measure/cpu.ts'
import type { Fact, ResultRow, Series, Step } from '../../../bench/measure/result.ts'
import { table } from '../markdown.ts'
import { axisText, figureText, ratioText, withUnit } from './figure-text.ts'
import { outcome } from './goals.ts'

/** CPU of each contestant, and the ratio of the first to the last one. */
export function cpuTable(rows: readonly ResultRow[]): string {
  const names = [...new Set(rows.flatMap(({ figures }) => figures.map(({ name }) => name)))]
  const hasGoals = rows.some(({ goal }) => goal !== undefined)
  const lines = rows.map(({ operation, callers, figures, goal }) => {
    const [ours] = figures
    const totals = names.map((name) => {
      const one = figures.find((figure) => figure.name === name)
      return one ? figureText(one.total) : ''
    })
    const ratio = ours ? `${ratioText(ours.ratio)} (${ours.middleHalf.map(ratioText).join(' to ')})` : ''
    const goals = ours && goal !== undefined ? [ratioText(goal), outcome({ figure: ours.ratio, goal })] : ['', '']
    return [operation, String(callers), ...totals, ratio, ...(hasGoals ? goals : [])]
  })
  const heads = names.map((name) => `${name}, µs`)
  const head = ['Operation', 'Callers', ...heads, `Ratio to ${names.at(-1)}`, ...(hasGoals ? ['Goal', ''] : [])]
  return table(head, lines, 1)
}

/** The parts of the CPU, and rates and latencies beside them. */
export function rateTable(rows: readonly ResultRow[]): string {
  const lines = rows.flatMap(({ operation, callers, figures }) =>
    figures.map(({ name, cpu, perSecond, p50, p99 }) => [
      operation,
      name,
      String(callers),
      ...parts.map((part) => figureText(cpu[part])),
      ...[perSecond, p50, p99].map(figureText),
    ]),
  )
  const heads = [
    'Operation',
    'Server',
    'Callers',
    'Host, µs',
    'Plugin, µs',
    'Database, µs',
    'Per second',
    'p50, ms',
    'p99, ms',
  ]
  return table(heads, lines, 2)
}

export function growthTable(series: readonly Series[]): string {
  const marks = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].toSorted((a, b) => a - b)
  const xLabels = [...new Set(series.map(({ xLabel }) => xLabel))].join(', ')
  const lines = series.map(({ operation, unit, points }) => {
    const values = marks.map((mark) => points.find(({ x }) => x === mark)?.value)
    return [operation, unit, ...values.map((value) => (value === undefined ? '' : figureText(value))), growthOf(points)]
  })
  return table(['Operation', 'Unit', ...marks.map((mark) => `${axisText(mark)} ${xLabels}`), 'Last to first'], lines, 2)
}

function growthOf(points: Series['points']): string {
  const [first, last] = [points[0], points.at(-1)]
  return first && last ? withUnit(ratioText(last.value / first.value), '×') : ''
}

export function stepTable(steps: readonly Step[]): string {
  const lines = steps.map(({ step, p50, p99, cpu }) => [
    step,
    ...[p50, p99].map(figureText),
    cpu === undefined ? '' : figureText(cpu),
  ])
  return table(['Hop', 'p50, ms', 'p99, ms', 'CPU, µs'], lines, 1)
}

export function factTable(facts: readonly Fact[]): string {
  const hasGoals = facts.some(({ goal }) => goal !== undefined)
  const lines = facts.map(({ what, value, unit, goal }) => {
    const goals = goal === undefined ? ['', ''] : [withUnit(goal, unit), outcome({ figure: value, goal })]
    return [what, withUnit(value, unit), ...(hasGoals ? goals : [])]
  })
  return table(['What', 'Figure', ...(hasGoals ? ['Goal', ''] : [])], lines, 1)
}
