import { Pool } from 'pg'
import { gauge } from '../../base/metrics.ts'
import { defaultCandidateLimit } from '../list-selection.ts'
import { usableNumber } from '../schema-version.ts'
import { sql, type SqlRow } from '../sql.ts'
import type { Store, WriteOperation } from '../store.ts'
import { buildIndexes } from './indexes/build-indexes.ts'
import { readBuild } from './indexes/build-progress.ts'
import { createCatalog } from './catalog.ts'
import { compact } from './changelog/compact.ts'
import { head, readChanges, readPacked, unpackCarried, type ChangeParts } from './changelog/changes.ts'
import { createReadGrouping, createWriteGrouping, mayBeGrouped } from './write/grouping.ts'
import { acquireLease, heldLeases, releaseLease } from './leases.ts'
import { inSchema, prepareSchema } from './connection/in-schema.ts'
import { keepConnections } from './connection/keep-connections.ts'
import { list } from './list/list.ts'
import { countDangling, countValues, getMany } from './list/related.ts'
import { startListening } from './changelog/listen.ts'
import { migrate, migrations, readSchema } from './migrate.ts'
import { defaultPartitionSizes, ensurePartitions, type PartitionSizes } from './changelog/log-partitions.ts'
import { startSequencer } from './changelog/sequencer.ts'
import { databaseAddress } from './connection/database-address.ts'
import { serverProcesses } from './connection/server-processes.ts'
import { NamedClient } from './connection/named-client.ts'
import { UnnamedClient } from './connection/unnamed-client.ts'
import { write, writeTogether } from './write/write.ts'

export interface PostgresOptions {
  readonly url: string
  /** Past a pooler, for what one in transaction mode cannot do or would cut off: notifications, migrations, index builds. */
  readonly directUrl?: string | undefined
  /** Separates installations that share a database; by default the tables are where the database puts them. */
  readonly schema?: string | undefined
  /** Whether connections keep named prepared statements; turn it off behind a pooler that cannot. On by default. */
  readonly namedStatements?: boolean
  /** Whether single writes and reads of many callers are batched under load; on by default. */
  readonly grouping?: boolean
  /** Partition sizes of the change log, for tests that fill one. */
  readonly partitions?: PartitionSizes
  /** Sets of at most this many objects are read whole by lists; tests lower it. */
  readonly candidateLimit?: number
  /** The id of the replica that opens the store, recorded with its leases. */
  readonly replica?: string | undefined
  /** Called when an idle connection broke; the pool replaces it. */
  readonly onConnectionLost: (error: Error) => void
}

const maxConnections = 16
const connectTimeoutMs = 5_000
const queryTimeoutMs = 30_000
/** Maximum number of changes put in order in one transaction. */
const maxPass = 5_000

export async function openPostgresStore(given: PostgresOptions): Promise<Store> {
  const options = inSchema(given)
  const { grouping = true, namedStatements = true, partitions = defaultPartitionSizes } = options
  const { candidateLimit = defaultCandidateLimit } = options
  const { pool, direct, ours, endPools } = await openPrepared(options, { namedStatements, partitions })
  const catalog = createCatalog(pool)
  const makeRoom = () => ensurePartitions(pool, partitions)
  const sequencer = startSequencer(pool, {
    makeRoom,
    // Far less than the prepared partitions hold, even when ten replicas count separately.
    roomEvery: partitions.smallest / 8,
    passLimit: Math.min(maxPass, partitions.smallest),
    onError: options.onConnectionLost,
  })
  const parts = { pool, catalog, makeRoom }
  // A pooler that cannot keep statements cannot keep a listener either.
  const heardAt = options.directUrl ?? (namedStatements ? options.url : undefined)
  const listening =
    heardAt !== undefined && startListening({ url: heardAt, pool, ours, onPass: () => sequencer.told() })
  const isTold = () => listening !== false && listening.isProven()
  const changeParts: ChangeParts = { pool, catalog, sequencer, isTold, newest: undefined }
  const writeAlone = async (operation: WriteOperation) => {
    const [result] = await write(parts, [operation])
    if (!result) throw new Error('a write answered nothing')
    return result
  }
  const writeGrouped = createWriteGrouping({
    alone: writeAlone,
    together: (operations) => writeTogether(parts, operations),
  })
  const readGrouped = createReadGrouping(pool, (model) => catalog.find(model), grouping)

  return {
    description: databaseAddress(options.url),
    details: () => detailsOf(options, isTold()),
    ping: async () => {
      await pool.query('SELECT 1')
    },
    schemaNumber: async () => usableNumber(await readSchema(pool), migrations),
    openModel: (declaration) => catalog.open(declaration),
    closeModel: (model) => catalog.close(model),
    buildIndexes: (model, build) => buildIndexes({ pool: direct, catalog, replica: options.replica }, model, build),
    indexBuild: async (model) => readBuild(pool, (await catalog.refresh(model)).table),
    write: async (operations, how = {}) => {
      const [only, ...others] = operations
      const plain = only && others.length === 0 && !how.fence && !how.dryRun && !how.guards && !how.also
      const alone = grouping && plain && mayBeGrouped(catalog.find(only.model))
      const results = alone ? [await writeGrouped(only)] : await write(parts, operations, how)
      sequencer.poke()
      return results
    },
    [sql]: async ({ name, text, values }) =>
      (await pool.query<SqlRow>({ ...(name !== undefined && { name }), text, values: [...values] })).rows,
    // The database cannot store text with a NUL, so there is no such object.
    get: async (model, name) => (name.includes('\0') ? undefined : readGrouped(model, name)),
    getMany: (model, names, maxBytes) => getMany(pool, catalog.find(model).table, { names, maxBytes }),
    countValues: (model, wanted) => countValues({ pool, catalog }, model, wanted),
    countDangling: (model, index) => countDangling({ pool, catalog }, model, index),
    list: (model, query) => list({ pool, sequencer, catalog, candidateLimit }, model, query),
    head: () => head(pool),
    readChanges: (after, read) => readChanges(changeParts, after, read),
    packedLog: {
      read: (after, read) => readPacked(changeParts, after, read),
      unpack: (about, data) => unpackCarried(changeParts, about, data),
    },
    compact: (retention) => compact({ pool, replica: options.replica }, retention, partitions),
    acquireLease: (name, lease) => acquireLease({ pool, replica: options.replica }, name, lease),
    releaseLease: (lease) => releaseLease(pool, lease),
    heldLeases: (prefix) => heldLeases(pool, prefix),
    [Symbol.asyncDispose]: async () => {
      if (listening) await listening[Symbol.asyncDispose]()
      await sequencer[Symbol.asyncDispose]()
      await endPools()
    },
  }
}

/** Creates the schema, the tables and the partitions that are missing. */
async function openPrepared(
  options: PostgresOptions,
  { namedStatements, partitions }: Required<Pick<PostgresOptions, 'namedStatements' | 'partitions'>>,
): Promise<ReturnType<typeof openPools>> {
  const { schema, url, directUrl = url } = options
  const pools = openPools(options, namedStatements)
  try {
    if (schema !== undefined) await prepareSchema(pools, { schema, url })
    await migrate(pools.direct)
    await ensurePartitions(pools.pool, partitions)
    return pools
  } catch (error) {
    await pools.endPools()
    throw new Error(`cannot prepare ${databaseAddress(directUrl)}: ${messageOf(error)}`, { cause: error })
  }
}

function openPools({ url, directUrl, onConnectionLost }: PostgresOptions, namedStatements: boolean) {
  const connectionTimeoutMillis = connectTimeoutMs
  const pool = new Pool({
    Client: namedStatements ? NamedClient : UnnamedClient,
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis,
    query_timeout: queryTimeoutMs,
    application_name: 'pergola',
  })
  keepConnections(pool)
  // Few connections, for work that is rare and may take long.
  const past = { connectionString: directUrl, max: 4, connectionTimeoutMillis, application_name: 'pergola direct' }
  const direct = directUrl === undefined ? pool : new Pool(past)
  const all = new Set([direct, pool])
  for (const one of all) one.on('error', onConnectionLost)
  const sum = (count: (one: Pool) => number) => [...all].reduce((total, one) => total + count(one), 0)
  // A pooler makes up the processes that its clients see.
  const ours: ReadonlySet<number> = directUrl === undefined ? serverProcesses(pool) : new Set()
  const measured = new DisposableStack()
  measured.use(
    gauge('pergola_store_connections', () => [
      { value: sum(({ totalCount, idleCount }) => totalCount - idleCount), labels: { state: 'busy' } },
      { value: sum(({ idleCount }) => idleCount), labels: { state: 'idle' } },
    ]),
  )
  measured.use(gauge('pergola_store_waiting', () => [{ value: sum(({ waitingCount }) => waitingCount) }]))
  const endPools = async () => {
    measured.dispose()
    for (const one of all) if (!one.ending) await one.end()
  }
  return { pool, direct, ours, endPools }
}

function detailsOf({ directUrl, namedStatements = true }: PostgresOptions, isTold: boolean): string {
  const direct = directUrl === undefined ? 'no database.directUrl' : `directUrl ${databaseAddress(directUrl)}`
  const told = isTold ? 'changes by notification' : 'changes by polling, because no notifications arrive'
  return `${told}, named statements ${namedStatements ? 'on' : 'off'}, ${direct}`
}

/** Node reports a refused connection as an AggregateError with an empty message. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
