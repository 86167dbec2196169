import type { Step } from '../../../bench/measure/result.ts'
import { figureText } from './figure-text.ts'
import { linearScale } from './scale.ts'
import { svgBar, svgLine, svgText, width, type Chart } from './svg.ts'

const labelWidth = 230
const cpuWidth = 110
/** Room for the figures behind a bar. */
const figureWidth = 120
const headHeight = 34
const lineHeight = 30

/** A bar for each hop, in their order: the median in full colour, and on to the 99th percentile in a lighter one. */
export function stepChart(title: string, steps: readonly Step[]): Chart {
  const hasCpu = steps.some(({ cpu }) => cpu !== undefined)
  const end = width - (hasCpu ? cpuWidth : 0)
  const highest = Math.max(...steps.map(({ p50, p99 }) => Math.max(p50, p99)))
  const scale = linearScale(highest, end - labelWidth - figureWidth)
  const lines = steps.flatMap(({ step, p50, p99, cpu }, at) => {
    const y = headHeight + at * lineHeight
    const bar = { y: y + 9, height: 12, kind: 'ours' as const }
    const figures = `${figureText(p50)} · ${figureText(p99)} ms`
    return [
      svgLine(`M0 ${y}H${width}`, { kind: 'rule' }),
      svgText(step, { x: 0, y: y + 19.5 }),
      svgBar({ ...bar, x: labelWidth, width: scale(p50), opacity: 1 }),
      svgBar({ ...bar, x: labelWidth + scale(p50), width: Math.max(0, scale(p99) - scale(p50)), opacity: 0.3 }),
      svgText(figures, { x: labelWidth + scale(Math.max(p50, p99)) + 8, y: y + 19.5, size: 12 }),
      ...(cpu === undefined
        ? []
        : [svgText(`${figureText(cpu)} µs`, { x: width, y: y + 19.5, anchor: 'end' as const, bold: true })]),
    ]
  })
  return {
    title: `${title}: hop by hop`,
    description: steps
      .map(({ step, p50, p99 }) => `${step}: p50 ${figureText(p50)} ms, p99 ${figureText(p99)} ms.`)
      .join(' '),
    height: headHeight + steps.length * lineHeight + 6,
    content: [...legend(hasCpu), ...lines],
  }
}

function legend(hasCpu: boolean): readonly string[] {
  const swatch = { y: 4, width: 11, height: 11, kind: 'ours' as const }
  return [
    svgText('ms, hop by hop', { x: 0, y: 14, size: 12, kind: 'quiet' }),
    svgBar({ ...swatch, x: labelWidth, opacity: 1 }),
    svgText('p50', { x: labelWidth + 17, y: 14, size: 12 }),
    svgBar({ ...swatch, x: labelWidth + 64, opacity: 0.3 }),
    svgText('to p99', { x: labelWidth + 81, y: 14, size: 12 }),
    ...(hasCpu
      ? [svgText('CPU per change', { x: width, y: 14, anchor: 'end' as const, size: 12, kind: 'quiet' as const })]
      : []),
  ]
}
