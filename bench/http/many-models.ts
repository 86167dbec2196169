import { createDatabase, startPostgres } from '@pergola/test-servers'
import { startPergola } from '../../tests/end-to-end/pergola-process.ts'
import { seedAdministrator } from '../../tests/end-to-end/seed-administrator.ts'
import type { Part } from '../measure/part.ts'
import { modelOf } from './people.ts'
import { register, token } from './requests.ts'

const models = 500

/** Duration of a start with 500 models, and of registering one more. */
export const manyModels: Part = async () => {
  await using server = await startPostgres('18', { durable: true })
  await using database = await createDatabase(server.url)
  await seedAdministrator(database.url, token)
  const env = { PERGOLA_DATABASE_URL: database.url, PERGOLA_LOG_LEVEL: 'warn' }
  {
    await using filling = startPergola({ env })
    const url = await filling.url()
    for (let at = 0; at < models; at++) await register(url, modelOf(`things${at}`, `Thing${at}`))
  }
  const began = performance.now()
  await using host = startPergola({ env })
  const url = await host.url()
  const startMs = performance.now() - began
  const sent = performance.now()
  await register(url, modelOf('lateones', 'LateOne'))
  const registerMs = performance.now() - sent
  const figure = `a start with ${models} models takes ${startMs.toFixed(0)} ms, one more model ${registerMs.toFixed(0)} ms`
  console.log(`\n${figure}`)
  return { figure, short: [] }
}
