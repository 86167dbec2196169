import { join } from 'node:path'
import { compete } from '../measure/compete.ts'
import type { Part } from '../measure/part.ts'
import { missedGoals, printRow, type ResultRow } from '../measure/result.ts'
import { startBareServer } from './bare.ts'
import { openConnections } from './connections.ts'
import { operationsOn } from './operations.ts'
import { cities, people, personOf } from './people.ts'
import { startPeople } from './people-host.ts'
import { head, post, sending, withBody, type Operation } from './requests.ts'

const objects = 10_000
const goals: Readonly<Record<string, { readonly one: number; readonly many: number }>> = {
  get: { one: 1.4, many: 1 },
  'list 20, filter, sort': { one: 1.2, many: 1 },
  create: { one: 1.8, many: 1.2 },
  update: { one: 1.8, many: 1.2 },
}

/**
 * The generated API against a bare stack: Fastify and the driver doing the same statement on the same table, without
 * authentication, authorization, validation, change log or anything else.
 */
export const againstBare: Part = async ({ quick }) => {
  await using stored = await startPeople(objects)
  const { host } = stored
  await using bare = await startBareServer(join(import.meta.dirname, 'bare-server.ts'), stored.url, people)
  const bareOperations = await operationsOfBare(bare.url)
  await stored.vacuum()
  const rows: ResultRow[] = []
  const operations = operationsOn(objects)
  for (const callers of [1, 32, 128]) {
    using toOurs = await openConnections(await host.url(), callers)
    using toBare = await openConnections(bare.url, callers)
    for (const operation of operations) {
      const { name } = operation
      const other = bareOperations[name]
      const goal = goals[name]
      if (!other || !goal) throw new Error(`the bare server has no operation "${name}"`)
      const contestants = [
        { name: 'Pergola', processes: { host: [host.pid] }, operation: sending(toOurs, operation) },
        { name: 'Fastify and pg', processes: { host: [bare.pid] }, operation: sending(toBare, other) },
      ]
      const figures = await compete(contestants, {
        callers,
        count: 3_000,
        rounds: quick ? 5 : 15,
      })
      const row = { operation: name, callers, figures, goal: callers === 1 ? goal.one : goal.many }
      printRow(row)
      rows.push(row)
    }
  }
  const short = missedGoals(rows)
  return {
    figure: `${rows.length - short.length} of ${rows.length} goals against a bare server are met`,
    short,
    result: {
      section: 'requests',
      title: 'Requests, beside a bare server',
      text: 'The generated API beside Fastify and `pg` with one statement for each request on the same table; for writes it is the same statement. It has no authentication, authorization, validation and order of changes. PostgreSQL waits for the disk.',
      limits:
        'A lone get passes hundreds of functions of 1 to 3 \u00b5s each. A list also reads its position in the change log, from twelve small tables in 25 to 40 \u00b5s of the database, and makes the head of each object; both count their matches. A lone update reads the object first and takes a part of a pass that puts changes in order, which the bare server leaves undone; with more callers a pass and a commit serve many.',
      rows,
    },
  }
}

/** The same operations on people of their own, because an update must state the version that it read. */
async function operationsOfBare(url: string): Promise<Readonly<Record<string, Omit<Operation, 'name'>>>> {
  const versions: { readonly uid: string; version: number }[] = []
  for (let from = 0; from < objects; from += 100) {
    const numbers = Array.from({ length: 100 }, (_, at) => from + at)
    const stored = await Promise.all(numbers.map((at) => post(url, '/people', bareOf(at))))
    versions.push(...stored.map(({ metadata: { uid } }) => ({ uid, version: 0 })))
  }
  let made = objects
  let changes = 0
  const existing = (at: number) => (at * 7919) % objects
  return {
    get: { status: 200, request: (at) => head('GET', `/people/q-${existing(at)}`) },
    'list 20, filter, sort': {
      status: 200,
      request: (at) => head('GET', `/people?city=city-${(at * 31) % cities}`),
    },
    create: { status: 201, request: () => withBody('POST', '/people', bareOf(made++)) },
    update: {
      status: 200,
      request: (at) => {
        const read = versions[existing(at)]
        if (!read) throw new Error(`q-${existing(at)} is not there`)
        const more = { uid: read.uid, version: read.version++ }
        return withBody('PUT', `/people/q-${existing(at)}`, bareOf(existing(at), more, ++changes))
      },
    },
  }
}

function bareOf(at: number, more: object = {}, salt = 0): object {
  const { metadata, spec } = personOf(at, more, salt)
  return { metadata: { ...metadata, name: `q-${at}` }, spec: { ...spec, email: `q${at}@example.com` } }
}
