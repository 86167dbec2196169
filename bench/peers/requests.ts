import { openConnections } from '../http/connections.ts'
import { sending } from '../http/requests.ts'
import { compete } from '../measure/compete.ts'
import type { Part } from '../measure/part.ts'
import { missedGoals, printRow, type ResultRow } from '../measure/result.ts'
import { operationsOf } from './dialect.ts'
import { notMeasured, startAll, type Compared, type RunningSystem } from './compared.ts'

/** Of the CPU of the cheapest peer. */
const goal = 0.2
const many = 1_000_000
const growing = 'list 20, filter, sort'

/** CPU per request of the generated APIs. */
export function requests(compared: Compared): Part {
  return async ({ quick }) => {
    const rows: ResultRow[] = []
    {
      await using all = await startAll(compared)
      const names = operationsOf(all.systems[0].dialect, { rows: 1, run: '' }).map(({ name }) => name)
      for (const name of names) rows.push(await measured({ systems: all.systems, name, stored: compared.rows, quick }))
    }
    if (!quick) {
      for (const system of compared.systems) await system.load(compared.rows + 1, many)
      await using all = await startAll(compared)
      for (const name of [growing, `${growing}, total`])
        rows.push(await measured({ systems: all.systems, name, stored: many, quick }))
    }
    const short = missedGoals(rows)
    return {
      figure: `${rows.length - short.length} of ${rows.length} operations take at most ${goal} of the CPU of the cheapest peer`,
      short,
      result: {
        section: 'peers',
        title: 'Requests, beside other products',
        text: [
          `The generated API beside those of other products: one process each, the same durable PostgreSQL, the same indexes, ${compared.rows.toLocaleString('en')} rows, and a token that may only use this collection.`,
          'The peers run without logs of requests, logs of activities, rate limits and telemetry; Pergola writes its change log. Ratios relate to the cheapest peer.',
          notMeasured(compared),
        ].join(' '),
        rows,
      },
    }
  }
}

interface Measurement {
  readonly systems: readonly RunningSystem[]
  readonly name: string
  readonly stored: number
  readonly quick: boolean
}

/** Pergola is so much cheaper that the same number of requests would take a few ticks of CPU. */
const ourTimes = 8

async function measured({ systems, name, stored, quick }: Measurement): Promise<ResultRow> {
  const callers = name.startsWith('list') ? 16 : 32
  await using connections = new AsyncDisposableStack()
  const contestants = []
  for (const [at, system] of systems.entries()) {
    const operation = operationsOf(system.dialect, { rows: stored, run: `c${stored}` }).find((one) => one.name === name)
    if (!operation) throw new Error(`there is no operation "${name}"`)
    const open = await openConnections(system.server.url, callers)
    connections.defer(() => open[Symbol.dispose]())
    contestants.push({
      name: system.name,
      get processes() {
        return { host: system.server.pids() }
      },
      operation: sending(open, operation),
      times: at === 0 ? ourTimes : 1,
    })
  }
  const figures = await compete(contestants, {
    callers,
    count: quick ? 160 : 400,
    rounds: quick ? 5 : 10,
    reference: 'cheapest',
  })
  const row = { operation: `${name}, ${stored.toLocaleString('en')} rows`, callers, figures, goal }
  printRow(row)
  return row
}
