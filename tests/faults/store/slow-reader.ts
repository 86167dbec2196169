import { createDatabase, startPostgres } from '@pergola/test-servers'
import { Client } from 'pg'
import { startChild } from './child-process.ts'
import { listedModel } from './listed-model.ts'
import { openQuietly } from './open-quietly.ts'
import type { PageReaderReport } from './processes/page-reader.ts'
import type { Trial, TrialResult } from './trial.ts'

/** A slow reader of all objects uses no growing memory and holds no transaction in the database. */
export const slowReader: Trial = {
  name: 'a slow reader of everything',
  run: async ({ quick }): Promise<TrialResult> => {
    const objects = quick ? 100_000 : 1_000_000
    const seconds = quick ? 15 : 60
    await using server = await startPostgres('18', { durable: true })
    await using database = await createDatabase(server.url)
    {
      await using store = await openQuietly(database.url)
      await store.openModel(listedModel)
    }
    await loadObjects(database.url, objects)
    await using child = startChild<PageReaderReport>({
      file: 'page-reader.ts',
      args: [database.url, String(objects), String(seconds)],
      flags: ['--expose-gc'],
    })
    const report = await child.first(() => true)
    const { pages, growthBytes, looks } = report
    const figures = `${objects} objects in ${pages} pages over ${report.seconds.toFixed(0)} s, ${megabytes(growthBytes)} more memory, ${looks} looks at its connections`
    return { figures, faults: faultsOf(report) }
  },
}

const allowedGrowthBytes = 64 * 1024 * 1024

function faultsOf({ growthBytes, held, missing, repeated }: PageReaderReport): string[] {
  const faults: string[] = []
  if (growthBytes >= allowedGrowthBytes)
    faults.push(`memory has grown by ${megabytes(growthBytes)}; ${megabytes(allowedGrowthBytes)} is too much`)
  if (held.length > 0) faults.push(`a transaction was held between ${held.length} pages: ${held[0]}`)
  if (missing > 0) faults.push(`${missing} objects were not met`)
  if (repeated > 0) faults.push(`${repeated} objects were met more than once`)
  return faults
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}

/** Inserts directly, for speed; the name contains the number of the object. Some 600 bytes of data. */
async function loadObjects(url: string, count: number): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(
    `INSERT INTO m_1 (id, name, uid, version, generation, index_generation, held, stored_as, labels, sets, ix_1, data)
     SELECT (1700000000000 + at) << 20, 'r-' || at, gen_random_uuid(), 0, 1, 1, false, 'v1', jsonb_build_object('team', 't' || at % 3),
       jsonb_build_object('2', jsonb_build_array('tag' || at % 500)), 'c' || at % 1000, convert_to(repeat(md5(at::text), 18), 'UTF8')
     FROM generate_series(0, $1::int - 1) at`,
    [count],
  )
  await client.query(`INSERT INTO m_1_l (key, value, id) SELECT 'team', labels ->> 'team', id FROM m_1`)
  await client.query(`INSERT INTO m_1_s2 (value, id) SELECT sets -> '2' ->> 0, id FROM m_1`)
  await client.query('VACUUM ANALYZE')
  await client.end()
}
