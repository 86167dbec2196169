import { createDatabase, startPostgres } from '@pergola/test-servers'
import { startInstallation, type Installation } from '../../tests/end-to-end/cli-installation.ts'
import { todo, todoModel } from '../../tests/end-to-end/cli-todos.ts'
import { median, spread } from '../measure/statistics.ts'
import type { Part } from '../measure/part.ts'

const count = 1_000
/** Objects per second, from the start of the command to its exit. */
const bar = 300

/** A file of a thousand objects, on both engines. */
export const apply: Part = async ({ quick }) => {
  const rounds = quick ? 3 : 7
  const figures: string[] = []
  const short: string[] = []
  const measure = async (engine: string, installation: Installation) => {
    await installation.done(['apply', '-f', 'model.yaml'], { files: { 'model.yaml': todoModel } })
    const rates: number[] = []
    for (let round = 0; round < rounds; round++) {
      const texts = Array.from({ length: count }, (_, at) => todo(`many-${round}-${at}`, `title: Number ${at}`))
      const began = performance.now()
      await installation.done(['apply', '-f', 'many.yaml'], { files: { 'many.yaml': texts.join('') }, apart: true })
      rates.push(count / ((performance.now() - began) / 1000))
    }
    const figure = `apply of ${count} objects on ${engine}: ${median(rates).toFixed(0)}/s (bar ${bar})`
    console.log(`${figure}, ${spread(rates)}`)
    figures.push(figure)
    if (median(rates) < bar) short.push(figure)
  }
  {
    await using installation = await startInstallation()
    await measure('SQLite', installation)
  }
  await using server = await startPostgres('18', { durable: true })
  await using database = await createDatabase(server.url)
  await using installation = await startInstallation({ databaseUrl: database.url })
  await measure('PostgreSQL', installation)
  return { figure: figures.join('; '), short }
}
