import type { Point, Series } from '../../../bench/measure/result.ts'
import { axisText, figureText } from './figure-text.ts'
import { linearScale, logScale, ticks } from './scale.ts'
import { pixels, svgLine, svgText, width, type Chart } from './svg.ts'

const columns = 3
const gap = 32
const panelWidth = (width - gap * (columns - 1)) / columns
const panelHeight = 196
/** Room for the figures of the vertical axis. */
const axisWidth = 34
const plot = { top: 54, height: 96, width: panelWidth - axisWidth - 44 }

/** A panel for each operation; its horizontal axis is logarithmic, its vertical axis begins at 0. */
export function growthChart(title: string, series: readonly Series[]): Chart {
  const content = series.flatMap((one, at) => {
    const x = (at % columns) * (panelWidth + gap)
    const y = Math.floor(at / columns) * panelHeight
    return [`<g transform="translate(${pixels(x)} ${y})">`, ...panel(one), '</g>']
  })
  return {
    title: `${title}: growth`,
    description: series.map(descriptionOf).join(' '),
    height: Math.ceil(series.length / columns) * panelHeight,
    content,
  }
}

function panel({ operation, unit, xLabel, points }: Series): string[] {
  const values = ticks(Math.max(...points.map(({ value, spread }) => Math.max(value, spread?.[1] ?? 0))), 3)
  const y = linearScale(values.at(-1) ?? 0, plot.height)
  const x = logScale(points[0]?.x ?? 1, points.at(-1)?.x ?? 1, plot.width)
  const left = axisWidth + 22
  const bottom = plot.top + plot.height
  const place = (point: Point, value = point.value) => ({ x: left + x(point.x), y: bottom - y(value) })
  const rules = values.flatMap((value) => [
    svgLine(`M${axisWidth} ${pixels(bottom - y(value))}H${pixels(panelWidth)}`, { kind: 'rule' }),
    svgText(axisText(value), {
      x: axisWidth - 6,
      y: bottom - y(value) + 4,
      anchor: 'end',
      size: 11,
      kind: 'quiet',
    }),
  ])
  const marks = points.map((point) =>
    svgText(axisText(point.x), { x: left + x(point.x), y: bottom + 17, anchor: 'middle', size: 11, kind: 'quiet' }),
  )
  const line = pathOf(points.map((point) => place(point)))
  return [
    svgText(operation, { x: 0, y: 16, bold: true }),
    svgText(`${unit}, by number of ${xLabel}`, { x: 0, y: 33, size: 11.5, kind: 'quiet' }),
    ...rules,
    ...marks,
    ...(points.some(({ spread }) => spread) ? [band(points, place)] : []),
    svgLine(line, { kind: 'ours', width: 2 }),
    ...points.flatMap((point, at) => dot(point, place(point), at === 0 || at === points.length - 1)),
  ]
}

interface Place {
  readonly x: number
  readonly y: number
}

/** The middle half of the rounds, along the line. */
function band(points: readonly Point[], place: (point: Point, value?: number) => Place): string {
  const highest = points.map((point) => place(point, point.spread?.[1]))
  const lowest = points.map((point) => place(point, point.spread?.[0]))
  const outline = pathOf([...highest, ...lowest.toReversed()])
  return `<path class="ours" d="${outline}Z" fill="currentColor" fill-opacity="0.2" />`
}

function pathOf(places: readonly Place[]): string {
  return places.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${pixels(x)} ${pixels(y)}`).join('')
}

/** A dot, and the figure of the first and the last one. */
function dot({ value }: Point, { x, y }: Place, labelled: boolean): string[] {
  const circle = `<circle class="ours" cx="${pixels(x)}" cy="${pixels(y)}" r="3" fill="currentColor" />`
  if (!labelled) return [circle]
  return [circle, svgText(figureText(value), { x, y: y - 9, anchor: 'middle', size: 12, bold: true })]
}

function descriptionOf({ operation, unit, xLabel, points }: Series): string {
  const values = points.map(({ x, value }) => `${figureText(value)} at ${axisText(x)} ${xLabel}`)
  return `${operation}, ${unit}: ${values.join(', ')}.`
}
