import { Pool } from 'pg'
import { operationsOn } from '../http/operations.ts'
import { modelOf } from '../http/people.ts'
import { startPeople } from '../http/people-host.ts'
import { register } from '../http/requests.ts'
import { median } from '../measure/statistics.ts'
import type { Part } from '../measure/part.ts'
import { createCurves, figureOf } from './curve.ts'

const objects = 2_000
const registrations = 5

/** CPU of each operation on one of ever more models, and the statements that one more model takes. */
export const growthOfModels: Part = async ({ quick }) => {
  const sizes = quick ? [10, 100] : [10, 100, 1_000]
  await using stored = await startPeople(objects, ['shared_preload_libraries=pg_stat_statements'])
  const { host } = stored
  const url = await host.url()
  const pool = new Pool({ connectionString: stored.url, max: 1 })
  await pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
  const curves = createCurves('models')
  const statements: number[] = []
  const operations = operationsOn(objects)
  let models = 1
  const registerOne = () => register(url, modelOf(`things${models}`, `Thing${models++}`))
  try {
    for (const size of sizes) {
      while (models < size) await registerOne()
      await stored.vacuum()
      const counts = []
      for (let at = 0; at < registrations; at++) counts.push(await statementsOf(pool, registerOne))
      statements.push(median(counts))
      console.log(`${size} models: one more takes ${statements.at(-1)} statements`)
      await curves.measure(size, { url, processes: { host: [host.pid] }, operations, quick })
    }
  } finally {
    await pool.end()
  }
  const [least, most] = [Math.min(...statements), Math.max(...statements)]
  return {
    figure: `from ${sizes[0]} to ${sizes.at(-1)} models, ${figureOf(curves)}; one more model takes ${least} to ${most} statements`,
    short: [...curves.grown, ...(most > least + 2 ? [`one more model takes ${least} to ${most} statements`] : [])],
    result: {
      section: 'growth',
      title: 'Growth: models',
      text: 'Eight callers on one model, beside ever more others with the same indexes.',
      limits:
        'The statements that the database runs meanwhile include those of the background, of which there are more when registering takes longer.',
      series: curves.series,
      facts: sizes.map((size, at) => ({
        what: `Statements for one more model, beside ${size}`,
        value: statements[at] ?? Number.NaN,
        unit: 'statements',
      })),
    },
  }
}

/** Statements that the database runs meanwhile; background work of the host is among them. */
async function statementsOf(pool: Pool, work: () => Promise<void>): Promise<number> {
  const count = async () => {
    const { rows } = await pool.query<{ calls: string }>(
      `SELECT sum(calls) AS calls FROM pg_stat_statements WHERE query !~ 'sequence_changes|read_changes|pg_stat_statements|leases'`,
    )
    return Number(rows[0]?.calls)
  }
  const before = await count()
  await work()
  return (await count()) - before
}
