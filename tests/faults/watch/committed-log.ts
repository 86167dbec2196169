import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { SeenObject } from './history.ts'
import { group, kind, plural } from './things.ts'

/** A change as read directly from the database. */
export interface LogEntry {
  readonly number: number
  readonly tag: string
  readonly id: string
  /** Absent for changes of other models. */
  readonly change?: LoggedChange
}

export interface LoggedChange {
  readonly op: 'added' | 'modified' | 'deleted'
  readonly uid: string
  readonly version: number
  readonly object: SeenObject
}

/** The whole growing log, including changes that the database has deleted. */
export interface CommittedLog extends AsyncDisposable {
  readonly entries: readonly LogEntry[]
  /** Waits until all committed changes are sequenced and read. */
  untilRead(): Promise<void>
  /** Starts a new log after the present entries; keeps the state of every object. */
  forget(): void
  /** Stops reading; resolves when the last read has ended. */
  pause(): Promise<void>
  /** After `pause`: replaces the entries read so far and continues. */
  goOnWith(entries: readonly LogEntry[]): void
  /** The number before the first entry. */
  readonly start: number
  /** The newest change of every object before the first entry. */
  readonly before: ReadonlyMap<string, LogEntry & { readonly change: LoggedChange }>
}

const batch = 2_000
const pollMs = 100
const drainSeconds = 30

export async function readCommittedLog(url: string): Promise<CommittedLog> {
  let entries: LogEntry[] = []
  let place = 0
  let before = new Map<string, LogEntry & { readonly change: LoggedChange }>()
  let reading: Promise<void> | undefined
  let isOver = false
  let isPaused = false
  const readOn = async () => {
    for await (const entry of entriesBehind(url, place)) {
      place = entry.number
      entries.push(entry)
    }
  }
  const step = () => (reading ??= readOn().finally(() => (reading = undefined)))
  const follow = async () => {
    while (!isOver) {
      if (!isPaused) await step().catch(ifGap)
      await sleep(pollMs)
    }
  }
  let gap: unknown
  const ifGap = (error: unknown) => {
    if (error instanceof Error && error.message.startsWith('the log has')) gap = error
  }
  const following = follow()
  return {
    get entries() {
      return entries
    },
    get before() {
      return before
    },
    untilRead: async () => {
      const deadline = performance.now() + drainSeconds * 1000
      for (;;) {
        if (gap) throw gap
        if (await step().then(() => isDrained(url, place), never)) return
        if (performance.now() > deadline) throw new Error('changes stay without a revision')
        await sleep(50)
      }
    },
    get start() {
      return place - entries.length
    },
    pause: async () => {
      isPaused = true
      await reading?.catch(() => {})
    },
    goOnWith: (others) => {
      place += others.length - entries.length
      entries = [...others]
      isPaused = false
    },
    forget: () => {
      before = new Map(before)
      for (const entry of entries) if (isOurs(entry)) before.set(entry.change.uid, entry)
      for (const [uid, { change }] of before) if (change.op === 'deleted') before.delete(uid)
      entries = []
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true
      await following
    },
  }
}

/** The current changes of a database after a number. */
export async function* entriesBehind(url: string, number: number): AsyncGenerator<LogEntry> {
  await using client = await connected(url)
  for (let place = number; ;) {
    const found = await readBatch(client, place)
    for (const entry of found) {
      if (entry.number !== ++place) throw new Error(`the log has ${entry.number} where ${place} should be`)
      yield entry
    }
    if (found.length < batch) return
  }
}

export function isOurs(entry: LogEntry): entry is LogEntry & { readonly change: LoggedChange } {
  return entry.change !== undefined
}

const never = () => false

async function connected(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url, application_name: 'history', query_timeout: 10_000 })
  client.on('error', () => {})
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

async function isDrained(url: string, place: number): Promise<boolean> {
  await using client = await connected(url)
  const { rows } = await client.query<{ drained: boolean }>(
    `SELECT revision = $1 AND NOT EXISTS (SELECT FROM pending_changes) AS drained FROM sequencer`,
    [place],
  )
  return rows[0]?.drained ?? false
}

interface Row {
  readonly revision: string
  readonly tag: string
  readonly id: string
  readonly ours: boolean
  readonly op: string
  readonly name: string
  readonly uid: string
  readonly version: string
  readonly generation: string
  readonly created_at: string
  readonly deleted_at: string | null
  readonly stored_as: string
  readonly data: string
}

async function readBatch(client: Client, after: number): Promise<readonly LogEntry[]> {
  const { rows } = await client.query<Row>(
    `SELECT o.revision, o.tag, o.id, m.plural = $3 AND m.group_name = $4 AS ours, c.op, c.name, c.uid, c.version, c.generation,
       c.object_id >> 20 AS created_at, c.deleted_at, c.stored_as, convert_from(c.data, 'UTF8') AS data
     FROM change_order o JOIN changes c USING (id) JOIN models m ON m.id = c.model
     WHERE o.revision > $1 ORDER BY o.revision LIMIT $2`,
    [after, batch, plural, group],
  )
  return rows.map((row) => ({
    number: Number(row.revision),
    tag: row.tag,
    id: row.id,
    ...(row.ours && { change: changeIn(row) }),
  }))
}

function changeIn(row: Row): LoggedChange {
  const op = row.op === 'a' ? 'added' : row.op === 'm' || row.op === 'r' ? 'modified' : 'deleted'
  return { op, uid: row.uid, version: Number(row.version), object: objectIn(row) }
}

/** The stored text is the end of the JSON, after the metadata that the server adds. */
function objectIn(row: Row): SeenObject {
  const { metadata, ...fields } = JSON.parse(`{"metadata":{"":0${row.data}`) as {
    readonly metadata: Record<string, unknown>
    readonly spec: SeenObject['spec']
  }
  const { '': _, ...owned } = metadata
  const time = (milliseconds: string) => new Date(Number(milliseconds)).toISOString()
  return {
    apiVersion: `${group}/${row.stored_as}`,
    kind,
    metadata: {
      name: row.name,
      uid: row.uid,
      version: Number(row.version),
      generation: Number(row.generation),
      creationTimestamp: time(row.created_at),
      ...(row.deleted_at !== null && { deletionTimestamp: time(row.deleted_at) }),
      ...owned,
    },
    ...fields,
  }
}
