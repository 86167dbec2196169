import type { Operation } from '../http/requests.ts'
import { sending } from '../http/requests.ts'
import { openConnections } from '../http/connections.ts'
import { compete } from '../measure/compete.ts'
import type { Processes } from '../measure/cpu.ts'
import type { Point, Series } from '../measure/result.ts'

const callers = 8
/** More than this between the smallest and the largest installation is growth. */
const flat = 1.3

interface MeasureOptions {
  readonly url: string
  readonly processes: Processes
  readonly operations: readonly Operation[]
  readonly quick: boolean
}

/** The CPU of each operation at some sizes of an installation. */
export interface Curves {
  measure(size: number, options: MeasureOptions): Promise<void>
  readonly series: readonly Series[]
  /** Operations that are not flat. */
  readonly grown: readonly string[]
}

export function createCurves(xLabel: string): Curves {
  const points = new Map<string, Point[]>()
  let isWarm = false
  return {
    measure: async (size, { url, processes, operations, quick }) => {
      using connections = await openConnections(url, callers)
      const run = (operation: Operation, rounds: number) =>
        compete([{ name: 'Pergola', processes, operation: sending(connections, operation) }], {
          callers,
          count: 1_000,
          rounds,
        })
      // Otherwise the smallest size would be the one at which the host compiles itself.
      if (!isWarm) for (const operation of operations) await run(operation, 5)
      isWarm = true
      for (const operation of operations) {
        const [figures] = await run(operation, quick ? 3 : 9)
        if (!figures) continue
        const { total, p99 } = figures
        const known = points.get(operation.name) ?? []
        points.set(operation.name, [...known, { x: size, value: total }])
        console.log(`${size} ${xLabel}: ${operation.name.padEnd(28)} ${total.toFixed(0)} µs, p99 ${p99.toFixed(1)} ms`)
      }
    },
    get series() {
      return [...points].map(([operation, some]) => ({ operation, unit: 'µs of CPU', xLabel, points: some }))
    },
    get grown() {
      return [...points].flatMap(([operation, some]) => {
        const ratio = (some.at(-1)?.value ?? 0) / (some[0]?.value ?? 1)
        return ratio > flat ? [`${operation} grows by ${ratio.toFixed(2)}`] : []
      })
    },
  }
}

/** In words: which operations are flat, and which are not. */
export function figureOf({ series, grown }: Curves): string {
  return grown.length === 0 ? `${series.length} operations are flat` : grown.join(', ')
}
