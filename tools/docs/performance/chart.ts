import { parts } from '../../../bench/measure/cpu.ts'
import type { ResultRow } from '../../../bench/measure/result.ts'

const width = 720
const nameWidth = 250
const barHeight = 14
const rowGap = 12
const legendHeight = 28

/** Stacked bars of CPU per operation, ours and what it is compared with; follows the reader's light or dark scheme. */
export function chartOf(rows: readonly ResultRow[]): string {
  const longest = Math.max(...rows.flatMap(({ figures }) => figures.map(({ total }) => total)))
  const scale = (width - nameWidth - 60) / longest
  const drawn: string[] = []
  let y = legendHeight
  for (const { operation, callers, figures } of rows) {
    for (const [at, { name, cpu, total }] of figures.entries()) {
      const label = at === 0 ? `${operation}, ${callers} ${callers === 1 ? 'caller' : 'callers'}: ${name}` : name
      drawn.push(text({ x: nameWidth - 8, y: y + 11, className: at === 0 ? 'ours' : 'other' }, label))
      let x = nameWidth
      for (const part of parts) {
        const length = cpu[part] * scale
        drawn.push(`<rect class="${part}" x="${round(x)}" y="${y}" width="${round(length)}" height="${barHeight}"/>`)
        x += length
      }
      drawn.push(text({ x: x + 6, y: y + 11, className: 'value' }, `${total.toFixed(0)} µs`))
      y += barHeight + 3
    }
    y += rowGap
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" role="img" aria-label="CPU per operation">
<style>${style}</style>
${legend()}
${drawn.join('\n')}
</svg>
`
}

const style = `text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.ours, .other { text-anchor: end } .ours { font-weight: 600 } .other, .value { fill: #59636e }
.host { fill: #2f6f5e } .plugin { fill: #c98a2b } .database { fill: #7f9fd1 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .other, .value { fill: #9198a1 } .host { fill: #58b39a } .database { fill: #5d7fb8 } }`

function legend(): string {
  return parts
    .map((part, at) => {
      const x = nameWidth + at * 100
      return `<rect class="${part}" x="${x}" y="6" width="10" height="10"/>${text({ x: x + 16, y: 15, className: 'value' }, part)}`
    })
    .join('')
}

function text({ x, y, className }: { x: number; y: number; className: string }, words: string): string {
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text class="${className}" x="${round(x)}" y="${y}">${escaped}</text>`
}

function round(value: number): string {
  return value.toFixed(1)
}
