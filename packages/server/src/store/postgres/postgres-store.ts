import { DatabaseError, Pool } from 'pg'
import { alreadyExists } from '../already-exists.ts'
import { toPage } from '../page.ts'
import type { ListQuery, ModelKey, Store, StoredPage, WriteOperation } from '../store.ts'

export interface PostgresOptions {
  readonly url: string
  /** Told of a connection that broke while idle; the pool replaces it by itself. */
  readonly onConnectionLost: (error: Error) => void
}

const maxConnections = 10
const connectTimeoutMs = 5_000
const queryTimeoutMs = 30_000
const maxBigint = '9223372036854775807'

// Replicas start together: whoever comes second waits here for the first, then finds nothing left to do.
const schema = `
  BEGIN;
  SELECT pg_advisory_xact_lock(hashtextextended('pergola schema', 0));
  CREATE TABLE IF NOT EXISTS objects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,  -- creation order
    model text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    data bytea NOT NULL,
    UNIQUE (model, name)
  );
  CREATE INDEX IF NOT EXISTS objects_newest ON objects (model, id);
  COMMIT;
`

// One statement and so one snapshot; the left join keeps the total of a page past the end.
const page = `
  SELECT counted.total, o.id, o.name, o.data
  FROM (SELECT count(*) AS total FROM objects WHERE model = $1) counted
  LEFT JOIN LATERAL (
    SELECT id, name, data FROM objects WHERE model = $1 AND id < $2 ORDER BY id DESC LIMIT $3 OFFSET $4
  ) o ON true
  ORDER BY o.id DESC`

type PageRow = { total: string } & ({ id: string; name: string; data: Buffer } | { id: null })

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const pool = new Pool({
    connectionString: options.url,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    application_name: 'pergola',
  })
  pool.on('error', options.onConnectionLost)
  try {
    await pool.query(schema)
  } catch (error) {
    await pool.end()
    throw new Error(`cannot prepare ${describe(options.url)}: ${messageOf(error)}`, { cause: error })
  }

  return {
    description: describe(options.url),
    write: (operations) => write(pool, operations),
    get: async (model, name) => {
      const { rows } = await pool.query<{ data: Buffer }>('SELECT data FROM objects WHERE model = $1 AND name = $2', [
        keyOf(model),
        name,
      ])
      return rows[0] && { name, bytes: rows[0].data }
    },
    list: (model, query) => list(pool, model, query),
    ping: async () => {
      await pool.query('SELECT 1')
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

/** All rows in one statement, which is one transaction and one round trip; sorted, so that batches cannot deadlock. */
async function write(pool: Pool, operations: readonly WriteOperation[]) {
  const sorted = operations.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  try {
    await pool.query(
      'INSERT INTO objects (model, name, data) SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[])',
      [sorted.map(({ model }) => keyOf(model)), sorted.map(({ name }) => name), sorted.map(({ bytes }) => bytes)],
    )
  } catch (error) {
    const taken = takenBy(error, sorted)
    throw taken ? alreadyExists(taken, error) : error
  }
  return operations.map(({ name, bytes }) => ({ name, bytes }))
}

async function list(pool: Pool, model: ModelKey, query: ListQuery): Promise<StoredPage> {
  const parameters = [keyOf(model), query.after ?? maxBigint, query.limit + 1, query.offset ?? 0]
  const { rows } = await pool.query<PageRow>(page, parameters)
  const found = rows.flatMap((row) => (row.id === null ? [] : [{ id: row.id, name: row.name, bytes: row.data }]))
  return toPage(found, Number(rows[0]?.total ?? 0), query)
}

/** The server names the key it refused in the error's detail: `Key (model, name)=(/roles, author) already exists.` */
function takenBy(error: unknown, operations: readonly WriteOperation[]): WriteOperation | undefined {
  const uniqueViolation = '23505'
  if (!(error instanceof DatabaseError) || error.code !== uniqueViolation) return undefined
  return operations.find(({ model, name }) => error.detail?.includes(`=(${keyOf(model)}, ${name})`)) ?? operations[0]
}

function describe(url: string): string {
  const { hostname, port, pathname, username } = new URL(url)
  const user = username ? `${username}@` : ''
  return `PostgreSQL ${user}${hostname}:${port || '5432'}${pathname}`
}

function keyOf(model: ModelKey): string {
  return `${model.group}/${model.plural}`
}

function sortKey({ model, name }: WriteOperation): string {
  return `${keyOf(model)}\0${name}`
}

/** Node reports a refused connection as an AggregateError with an empty message. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
