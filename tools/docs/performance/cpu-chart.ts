import type { Figures } from '../../../bench/measure/compete.ts'
import { parts, type Cpu } from '../../../bench/measure/cpu.ts'
import type { ResultRow } from '../../../bench/measure/result.ts'
import { callersText, figureText, ratioText } from './figure-text.ts'
import { linearScale, type Scale } from './scale.ts'
import { pixels, svgBar, svgLine, svgText, width, type Chart } from './svg.ts'

const opacities: Readonly<Cpu> = { host: 1, plugin: 0.65, database: 0.38 }
const labelWidth = 164
const columnGap = 14
/** Room for a figure behind its bar. */
const figureWidth = 46
const barHeight = 12
/** About the width of a letter of the legend. */
const letterWidth = 7
const lineHeight = 19
const headHeight = 56
/** The name of an operation above its bars, and the gap below them. */
const rowHeight = 44

interface Layout {
  readonly callers: readonly number[]
  readonly columnWidth: number
  readonly scale: Scale
}

/** Bars of CPU per operation: a row for each operation, a column for each number of callers. */
export function cpuChart(title: string, rows: readonly ResultRow[]): Chart {
  const callers = [...new Set(rows.map((row) => row.callers))].toSorted((a, b) => a - b)
  const columnWidth = (width - labelWidth - columnGap * (callers.length - 1)) / callers.length
  const highest = Math.max(...rows.flatMap((row) => [...row.figures.map(({ total }) => total), goalOf(row) ?? 0]))
  const layout = { callers, columnWidth, scale: linearScale(highest, columnWidth - figureWidth) }
  const content = head(rows, layout)
  let y = headHeight
  for (const [operation, cells] of Map.groupBy(rows, (row) => row.operation)) {
    const names = [...new Set(cells.flatMap(({ figures }) => figures.map(({ name }) => name)))]
    content.push(...rowOf(operation, names, y), ...cells.flatMap((cell) => cellOf(cell, { ...layout, names, y })))
    y += rowHeight + names.length * lineHeight
  }
  return {
    title: `${title}: CPU per operation`,
    description: rows.map(descriptionOf).join(' '),
    height: y - 12,
    content,
  }
}

/** The legend, and the heading of each column. */
function head(rows: readonly ResultRow[], { callers, columnWidth }: Layout): string[] {
  const used = parts.filter((part) => rows.some(({ figures }) => figures.some(({ cpu }) => cpu[part] > 0)))
  let x = labelWidth
  const legend = used.flatMap((part) => {
    const from = x
    x += 50 + part.length * letterWidth
    const swatch = { y: 4, width: 11, height: 11, opacity: opacities[part] }
    return [
      svgBar({ ...swatch, x: from, kind: 'ours' }),
      svgBar({ ...swatch, x: from + 12, kind: 'other' }),
      svgText(part, { x: from + 29, y: 14, size: 12 }),
    ]
  })
  const goal = rows.some((row) => row.goal !== undefined)
    ? [svgLine(`M${x + 4} 2V17`, { width: 2 }), svgText('goal', { x: x + 12, y: 14, size: 12 })]
    : []
  const headings = callers.map((count, at) =>
    svgText(callersText(count), { x: columnAt(at, columnWidth), y: 44, bold: true, size: 12 }),
  )
  const unit = svgText('µs of CPU per operation', { x: 0, y: 14, size: 12, kind: 'quiet' })
  return [unit, ...legend, ...goal, ...headings]
}

function rowOf(operation: string, names: readonly string[], y: number): string[] {
  const labels = names.map((name, at) =>
    svgText(name, {
      x: 0,
      y: y + 36 + at * lineHeight,
      size: 12,
      ...(at === 0 ? { kind: 'ours' as const, bold: true } : { kind: 'quiet' as const }),
    }),
  )
  return [svgLine(`M0 ${y}H${width}`, { kind: 'rule' }), svgText(operation, { x: 0, y: y + 17, bold: true }), ...labels]
}

function cellOf(
  row: ResultRow,
  { names, y, ...layout }: Layout & { readonly names: readonly string[]; readonly y: number },
): string[] {
  const { callers, columnWidth, scale } = layout
  const x = columnAt(callers.indexOf(row.callers), columnWidth)
  const [ours] = row.figures
  const goal = goalOf(row)
  const other = row.figures.length > 2 ? ` ${row.figures.at(-1)?.name}` : ''
  const ratio = ours ? [svgText(`${ratioText(ours.ratio)} ×${other}`, { x, y: y + 17, size: 12, kind: 'quiet' })] : []
  const bars = row.figures.flatMap((figures) => {
    const at = names.indexOf(figures.name)
    const place = { x, y: y + 26 + at * lineHeight, scale }
    return at === 0 ? barOf(figures, { ...place, kind: 'ours', goal }) : barOf(figures, { ...place, kind: 'other' })
  })
  const tick = goal === undefined ? [] : [svgLine(`M${pixels(x + scale(goal))} ${y + 23}v18`, { width: 2 })]
  return [...ratio, ...bars, ...tick]
}

interface Place {
  readonly x: number
  readonly y: number
  readonly scale: Scale
  readonly kind: 'ours' | 'other'
  /** CPU that the goal allows; the figure stands beside its mark, not on it. */
  readonly goal?: number | undefined
}

function barOf({ cpu, total }: Figures, { x, y, scale, kind, goal = 0 }: Place): string[] {
  const bars: string[] = []
  let from = x
  for (const part of parts) {
    const long = scale(cpu[part])
    if (long > 0) bars.push(svgBar({ x: from, y, width: long, height: barHeight, kind, opacity: opacities[part] }))
    from += long
  }
  const mark = x + scale(goal)
  const end = from < mark && mark < from + figureWidth ? mark : from
  const figure = svgText(figureText(total), {
    x: end + 6,
    y: y + 10.5,
    size: 12,
    bold: kind === 'ours',
  })
  return [...bars, figure]
}

function columnAt(at: number, columnWidth: number): number {
  return labelWidth + at * (columnWidth + columnGap)
}

/** CPU that the goal allows. */
function goalOf({ goal, figures }: ResultRow): number | undefined {
  const reference = figures.at(-1)
  return goal === undefined || !reference ? undefined : goal * reference.total
}

function descriptionOf({ operation, callers, figures }: ResultRow): string {
  return `${operation}, ${callersText(callers)}: ${figures.map(({ name, total }) => `${name} ${figureText(total)} µs`).join(', ')}.`
}
