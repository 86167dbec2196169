import Fastify from 'fastify'
import { Pool } from 'pg'
import { uuidv7 } from '../../packages/server/src/base/uuid.ts'
import { createdAtOf, storedObject, storeFields } from '../../packages/server/src/store/postgres/object-row.ts'
import { indexKey } from '../../packages/server/src/store/index-key.ts'
import { openStoredModel } from './stored-model.ts'

/**
 * A minimal server for comparison: Fastify, a pool, and one statement for each operation on the tables of the store; for writes,
 * the statement of the store. No authentication, no authorization, no validation, no selector, no order of changes.
 */
const [, , url = '', plural = ''] = process.argv
const pool = new Pool({ connectionString: url, max: 16 })
const { table, statements } = await openStoredModel(pool, plural)

interface Person {
  readonly metadata: {
    readonly name: string
    readonly uid?: string
    readonly version?: number
    readonly labels: object
  }
  readonly spec: {
    readonly city: string
    readonly age: number
    readonly email: string
    readonly tags: readonly string[]
  }
}

const app = Fastify()
app.setErrorHandler((error, _request, reply) => {
  console.error(error)
  return reply.code(500).send()
})
/** The driver reads text faster than bytes. */
const columns = `${storeFields({ row: 'o' })} AS owned, convert_from(o.data, 'LATIN1') AS data`

app.get<{ Params: { name: string } }>('/people/:name', async (request, reply) => {
  const { rows: found } = await pool.query({
    name: 'get',
    text: `SELECT ${columns} FROM m_${table.id} o WHERE name = $1`,
    values: [request.params.name],
  })
  return reply.type('application/json').send(answerOf(found[0]))
})

app.get<{ Querystring: { city: string } }>('/people', async (request, reply) => {
  const from = `FROM m_${table.id} o WHERE ix_1 = $1`
  const { rows: found } = await pool.query<TextRow & { total: string }>({
    name: 'list',
    text: `SELECT ${columns}, (SELECT count(*) FROM (SELECT ${from} LIMIT 10001) counted) AS total
      ${from} ORDER BY ix_2 DESC NULLS LAST, id DESC LIMIT 20`,
    values: [request.query.city],
  })
  return reply.type('application/json').send(`{"total":${found[0]?.total},"items":[${found.map(answerOf).join(',')}]}`)
})

app.post<{ Body: Person }>('/people', async (request, reply) => {
  const { metadata, spec } = request.body
  const uid = uuidv7(Date.now())
  const data = dataOf(request.body)
  const { rows: made } = await pool.query({
    name: 'create',
    text: statements.createOne,
    values: [metadata.name, uid, false, 'v1', data, ...indexed(metadata.labels, spec)],
  })
  const created_at = String(createdAtOf(made[0].id))
  const created = { name: metadata.name, uid, version: 0, generation: 1, created_at, data }
  return reply.code(201).type('application/json').send(answer(created))
})

app.put<{ Params: { name: string }; Body: Person }>('/people/:name', async (request, reply) => {
  const { metadata, spec } = request.body
  const data = dataOf(request.body)
  const { rows: done } = await pool.query({
    name: 'update',
    text: statements.updateOne,
    values: [
      request.params.name,
      metadata.uid,
      metadata.version,
      false,
      'v1',
      1,
      data,
      ...indexed(metadata.labels, spec),
    ],
  })
  return reply
    .code(done[0]?.outcome === 'updated' ? 200 : 409)
    .type('application/json')
    .send(answerOf({ ...done[0], data: data.toString('latin1') }))
})

function indexed(labels: object, { city, age, email, tags }: Person['spec']): unknown[] {
  const number = indexKey('number', age)
  const slot = table.indexes.find(({ multi }) => multi)?.slot ?? 0
  const sets = JSON.stringify({ [slot]: [...new Set(tags)] })
  return [JSON.stringify(labels), sets, city, 'key' in number ? number.key : '', email]
}

function dataOf({ metadata, spec }: Person): Buffer {
  return Buffer.from(`,"labels":${JSON.stringify(metadata.labels)}},"spec":${JSON.stringify(spec)}}`)
}

interface TextRow {
  readonly owned: string
  readonly data: string
}

function answerOf({ owned, data }: TextRow): string {
  const { createdAt, ...stored } = storedObject(owned, Buffer.from(data, 'latin1'))
  return answer({ ...stored, created_at: String(createdAt) })
}

interface Row {
  readonly name: string
  readonly uid: string
  readonly version: number
  readonly generation: number
  readonly created_at: string
  readonly data: Buffer
}

function answer({ name, uid, version, generation, created_at, data }: Row): string {
  const created = new Date(Number(created_at)).toISOString()
  const head = `{"metadata":{"name":"${name}","uid":"${uid}","version":${version},"generation":${generation}`
  return `${head},"creationTimestamp":"${created}"${String(data)}`
}

console.log(`api ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
