import type { Answer } from './sender.ts'
import { kinds, type Kind } from './shot.ts'

const columns = ['2xx', '3xx', '4xx', '5xx', 'wait', 'none'] as const
type Column = (typeof columns)[number]

/** Counts responses by kind of request and status. */
export class Tally {
  readonly #counts = new Map<string, number>()
  #slowestMs = 0
  #began = performance.now()
  requests = 0

  /** A response with Retry-After means that the server is busy, not broken. */
  count(kind: Kind, { status, ms }: Answer, isWait: boolean): void {
    const column: Column = isWait ? 'wait' : (columns.find((one) => one.startsWith(String(status)[0] ?? '')) ?? 'none')
    const key = `${kind} ${column}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    this.#slowestMs = Math.max(this.#slowestMs, ms)
    this.requests++
  }

  show(print: (line: string) => void): void {
    const row = (name: string, cells: readonly string[]) =>
      print(`${name.padEnd(12)}${cells.map((cell) => cell.padStart(9)).join('')}`)
    row('kind', ['requests', ...columns])
    for (const kind of kinds) {
      const figures = columns.map((column) => this.#counts.get(`${kind} ${column}`) ?? 0)
      row(kind, [figures.reduce((sum, one) => sum + one, 0), ...figures].map(String))
    }
    const seconds = (performance.now() - this.#began) / 1000
    print(`${seconds.toFixed(0)} s, the slowest answer after ${(this.#slowestMs / 1000).toFixed(2)} s`)
  }
}
