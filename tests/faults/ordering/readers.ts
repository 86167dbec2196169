import { Client } from 'pg'
import type { Revision, Store } from '../../../packages/server/src/store/store.ts'

/** One change as a reader saw it: the object's uid and the version it got. */
export interface Seen {
  readonly uid: string
  readonly version: number
  /** When it was read. */
  readonly at: number
}

export interface Reader {
  readonly name: string
  readonly seen: Seen[]
  /** Resolves once the writers have stopped and the reader has reached the end. */
  readonly done: Promise<void>
}

const pollMs = 5
/** No change commits this many ids late, so the reader by transaction does not scan the whole log each time. */
const lateIds = 20_000

/** The reader of the store. */
export function orderedReader(name: string, store: Store, from: Revision, stopped: () => boolean): Reader {
  const seen: Seen[] = []
  const read = async () => {
    let place = from
    for (let quiet = 0; quiet < 5;) {
      const last = stopped()
      const { changes, revision } = await store.readChanges(place, { limit: 2_000, waitMs: 200 })
      for (const { object } of changes) seen.push({ uid: object.uid, version: object.version, at: performance.now() })
      quiet = last && revision === place ? quiet + 1 : 0
      place = revision
    }
  }
  return { name, seen, done: read() }
}

/** The first naive reader: remembers the greatest id and asks for greater ones. Loses late commits. */
export function naiveReader(url: string, stopped: () => boolean): Reader {
  const sql =
    'SELECT c.id::text AS id, uid, version::float8 AS version FROM changes c WHERE c.id > $1::bigint ORDER BY c.id LIMIT 2000'
  return sqlReader('by greatest id', url, { stopped, sql, start: ['0'], next: ({ id }) => [id] })
}

/** The second naive reader: waits until no older transaction runs and orders by transaction. Reorders changes of an object. */
export function xminReader(url: string, stopped: () => boolean): Reader {
  const sql = `SELECT c.id::text AS id, c.xmin::text AS xid, uid, version::float8 AS version FROM changes c
    WHERE c.id > $2::bigint - ${lateIds} AND c.xmin::text::bigint < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
      AND (c.xmin::text::bigint, c.id) > ($1::bigint, $2::bigint)
    ORDER BY c.xmin::text::bigint, c.id LIMIT 2000`
  return sqlReader('by transaction horizon', url, { stopped, sql, start: ['0', '0'], next: ({ xid, id }) => [xid, id] })
}

interface SqlReaderOptions {
  readonly stopped: () => boolean
  readonly sql: string
  readonly start: string[]
  readonly next: (row: Row) => string[]
}

interface Row {
  readonly id: string
  readonly xid: string
  readonly uid: string
  readonly version: number
}

function sqlReader(name: string, url: string, { stopped, sql, start, next }: SqlReaderOptions): Reader {
  const seen: Seen[] = []
  const read = async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    let place = start
    for (let quiet = 0; quiet < 50;) {
      const last = stopped()
      const { rows } = await client.query<Row>(sql, place)
      for (const { uid, version } of rows) seen.push({ uid, version, at: performance.now() })
      const newest = rows.at(-1)
      if (newest) place = next(newest)
      quiet = last && rows.length === 0 ? quiet + 1 : 0
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
    await client.end()
  }
  return { name, seen, done: read() }
}
