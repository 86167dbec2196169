import { createDatabase, startPostgres } from '@pergola/test-servers'
import { Pool } from 'pg'
import { startPergola } from '../../tests/end-to-end/pergola-process.ts'
import { seedAdministrator } from '../../tests/end-to-end/seed-administrator.ts'
import { cities, modelOf, people, peoplePath, personOf } from '../http/people.ts'
import { head, register, token, withBody, type Operation } from '../http/requests.ts'
import { openStoredModel } from '../http/stored-model.ts'
import type { Part } from '../measure/part.ts'
import { startReaders } from '../watch/reader-process.ts'
import { createCurves, figureOf } from './curve.ts'
import { loadPeople, withTag } from './load.ts'

const pageSize = 20
/** Cities whose later pages are read. */
const deepCities = 5
const watchers = 100

/** CPU of each operation with ever more objects of one model. `--most=10000000` goes on to that many. */
export const growthOfObjects: Part = async ({ quick }) => {
  const most = Number(
    process.argv.find((word) => word.startsWith('--most='))?.slice(7) ?? (quick ? 100_000 : 1_000_000),
  )
  const sizes = [10_000, 100_000, 1_000_000, 10_000_000].filter((size) => size <= most)
  await using server = await startPostgres('18', { durable: true, settings: ['max_wal_size=16GB'] })
  await using database = await createDatabase(server.url)
  await seedAdministrator(database.url, token)
  await using host = startPergola({ env: { PERGOLA_DATABASE_URL: database.url, PERGOLA_WATCH_MAX_PER_USER: '1000' } })
  const url = await host.url()
  await register(url, modelOf(people, 'Person'))
  const pool = new Pool({ connectionString: database.url, max: 1 })
  const curves = createCurves('objects')
  const written = { creates: 0, changes: 0 }
  try {
    const model = await openStoredModel(pool, people)
    let loaded = 0
    for (const size of sizes) {
      await loadPeople(pool, model, { from: loaded, to: size })
      loaded = size
      const operations = [...(await operationsAt(url, size, written))]
      const options = { url, processes: { host: [host.pid] }, quick }
      await curves.measure(size, { ...options, operations })
      using readers = startReaders()
      const path = `${peoplePath}?fieldSelector=spec.city%3Dcity-{n}`
      await readers.open({ url, token, count: watchers, path, cycle: 1 })
      const create = createOf(written, 0)
      await curves.measure(size, { ...options, operations: [{ ...create, name: `create, to ${watchers} watchers` }] })
    }
  } finally {
    await pool.end()
  }
  return {
    figure: `from ${sizes[0]} to ${sizes.at(-1)} objects, ${figureOf(curves)}`,
    short: curves.grown,
    result: {
      section: 'growth',
      title: 'Growth: objects of one model',
      text: 'Eight callers; objects of 400 bytes with four indexes, loaded by SQL. The later page begins in the middle of the list.',
      limits:
        'A list counts its matches for the total, up to 10,000. So a list of 1 % of all objects costs more until there are a million of them; beyond that its total is an estimate. An option to leave the total out would lift it.',
      series: curves.series,
    },
  }
}

interface Made {
  creates: number
  changes: number
}

async function operationsAt(url: string, size: number, made: Made): Promise<readonly Operation[]> {
  const existing = (at: number) => (at * 7919) % size
  const tokens = await Promise.all(Array.from({ length: deepCities }, (_, city) => middleOf(url, city, size / cities)))
  const list = `${peoplePath}?size=${pageSize}&sort=spec.age,desc&fieldSelector=spec.city=city-`
  // Tags of objects that no update has changed.
  const tag = (at: number) => Math.floor(size / withTag) - 1 - (at % 50)
  return [
    { name: 'get', status: 200, request: (at) => head('GET', `${peoplePath}/p-${existing(at)}`) },
    {
      name: `list ${pageSize} of ${withTag} matches`,
      status: 200,
      request: (at) => head('GET', `${peoplePath}?size=${pageSize}&fieldSelector=spec.tags=tag-${tag(at)}`),
    },
    {
      name: `list ${pageSize} of 1 % of all, sorted`,
      status: 200,
      request: (at) => head('GET', list + ((at * 31) % cities)),
    },
    {
      name: 'the same, a later page',
      status: 200,
      request: (at) => {
        const city = at % deepCities
        return head('GET', `${peoplePath}?continue=${encodeURIComponent(tokens[city] ?? '')}`)
      },
    },
    createOf(made),
    {
      name: 'update',
      status: 200,
      request: (at) => withBody('PUT', `${peoplePath}/p-${existing(at)}`, personOf(existing(at), {}, ++made.changes)),
    },
  ]
}

/** Of one city, or of all in turn. */
function createOf(made: Made, city?: number): Operation {
  const request = () => {
    const at = 100_000_000 + made.creates++
    const { metadata, spec } = personOf(at)
    return withBody('POST', peoplePath, {
      metadata,
      spec: city === undefined ? spec : { ...spec, city: `city-${city}` },
    })
  }
  return { name: 'create', status: 201, request }
}

/** Walks a city's list to its middle; returns the token that continues there. */
async function middleOf(url: string, city: number, objects: number): Promise<string> {
  // A token carries the rest of the query.
  let query = `size=${pageSize}&sort=spec.age,desc&fieldSelector=spec.city=city-${city}`
  let after = ''
  for (let read = 0; read < objects / 2; read += pageSize) {
    const answer = await fetch(`${url}${peoplePath}?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const page = (await answer.json()) as { readonly continue?: string }
    if (page.continue === undefined)
      throw new Error(`city ${city} has no page after ${read} objects: ${JSON.stringify(page).slice(0, 300)}`)
    after = page.continue
    query = `continue=${encodeURIComponent(after)}`
  }
  return after
}
