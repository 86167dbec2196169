import type { Pool } from 'pg'
import { decodeRevision, encodeRevision, revisionExpired } from '../../revision.ts'
import type { TableLayout } from '../../model-table.ts'
import type {
  Change,
  ChangeBatch,
  ModelKey,
  PackedChange,
  LogPosition,
  ReadChangesOptions,
  Revision,
} from '../../store.ts'
import type { Catalog } from '../catalog.ts'
import { indexedFrom, type SlottedValues } from '../../indexed-values.ts'
import { isFullBatch } from '../../is-full-batch.ts'
import { binaryRows } from '../connection/named-client.ts'
import { storeFields, storedObject } from '../object-row.ts'
import type { Sequencer } from './sequencer.ts'

/**
 * A change in two columns, since the driver spends more time per column than on its content. Both are null when the position is
 * not proven; `about` is empty when there is no change.
 */
interface ChangeRow {
  /** Made by `aboutText`. */
  readonly about: string
  readonly data: Buffer
}

/** `r`: declared deleted. `d` and `e`: removed, at once or after being declared deleted. */
const ops = { a: 'added', m: 'modified', r: 'modified', d: 'deleted', e: 'deleted' } as const

/** For this long after an idle pass, the log is known to have nothing new to read. */
const idleMs = 1_500
/** Polling interval for changes sequenced by other replicas; changes sequenced here are known at once. */
const pollMs = 20

export interface ChangeParts {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly sequencer: Sequencer
  /** Whether passes of other replicas are notified; otherwise the reader polls. */
  readonly isTold: () => boolean
  /** The end of the newest batch that was read completely, the time of the read, and the number of passes before it. */
  newest: { readonly revision: Revision; readonly at: number; readonly passes: number } | undefined
}

export async function head(pool: Pool): Promise<Revision> {
  for (;;) {
    const newest = await newestPosition(pool)
    if (newest) return encodeRevision({ ...newest, skipped: [] })
  }
}

/** Undefined while the table is being rewritten. */
async function newestPosition(pool: Pool): Promise<LogPosition | undefined> {
  const { rows } = await pool.query<{ place: string }>({
    name: 'newest place',
    text: `SELECT concat_ws(' ', revision, tag) AS place FROM sequencer`,
  })
  const [number, tag] = rows[0]?.place.split(' ') ?? []
  return number === undefined || tag === undefined ? undefined : { number: Number(number), tag }
}

export async function readChanges(
  parts: ChangeParts,
  after: Revision,
  options: ReadChangesOptions,
): Promise<ChangeBatch> {
  const began = performance.now()
  const rows = await nextRows(parts, after, options)
  if (rows.length === 0) return { changes: [], revision: after, provenAt: provenAt(parts, after, began) }
  return toBatch(parts.catalog, decodeRevision(after), rows)
}

/** Like `readChanges`, but packed for transport; `unpackCarried` reads the result. */
export async function readPacked(
  parts: ChangeParts,
  after: Revision,
  options: ReadChangesOptions,
): Promise<readonly PackedChange[]> {
  const rows = await nextRows(parts, after, options)
  return rows.map(({ about, data }) => {
    const { number, tag, model } = headOf(about)
    return { position: { number, tag }, model, about, data }
  })
}

/** The time of the last check that found nothing: an idle pass here, the start of the read, or now. */
function provenAt({ sequencer: { idle }, isTold }: ChangeParts, after: Revision, began: number): number {
  if (!isTold()) return performance.now()
  const { number, tag } = decodeRevision(after)
  return idle?.number === number && idle.tag === tag ? idle.at : began
}

/** Waits for changes when there are none yet. */
async function nextRows(
  parts: ChangeParts,
  after: Revision,
  options: ReadChangesOptions,
): Promise<readonly ChangeRow[]> {
  const place = decodeRevision(after)
  const deadline = performance.now() + options.waitMs
  let isKnown = options.waitMs > 0 && (isNewest(parts, after) || isIdleAt(parts, place))
  for (;;) {
    const { passes } = parts.sequencer
    const at = performance.now()
    const rows = isKnown ? [] : await readRows(parts.pool, place, options)
    const last = rows.at(-1)
    if (last) {
      const { number, tag } = headOf(last.about)
      parts.sequencer.saw(number)
      const isWhole = place.skipped.length === 0 && !isFullBatch(rows, options)
      if (isWhole) parts.newest = { revision: encodeRevision({ number, tag, skipped: [] }), at, passes }
      return rows
    }
    const left = deadline - performance.now()
    if (left <= 0 || options.signal?.aborted) return []
    const isTold = parts.isTold()
    const passed = await parts.sequencer.nextPass(isTold ? left : Math.min(left, pollMs), options.signal)
    // Without a notification until the deadline, there is nothing to read. Otherwise the next idle pass here, once a second,
    // proves it.
    isKnown = isTold && (!passed || isIdleAt(parts, place))
    if (!passed && !isTold) await untilMoved(parts, place, { deadline, signal: options.signal })
  }
}

/** True when the last pass found nothing to do at the reader's position and there was no pass since, here or elsewhere. */
function isIdleAt({ sequencer, isTold }: ChangeParts, { number, tag, skipped }: SkippingPosition): boolean {
  const { idle, passes } = sequencer
  if (!idle || idle.passes !== passes || !isTold() || skipped.length > 0) return false
  return idle.number === number && idle.tag === tag && performance.now() - idle.at < idleMs
}

interface SkippingPosition extends LogPosition {
  readonly skipped: readonly string[]
}

/**
 * Changes that other replicas sequenced since then are found a little later, by the newest position; a reader that has waited
 * reads at once.
 */
function isNewest({ newest, sequencer }: ChangeParts, after: Revision): boolean {
  if (newest?.revision !== after || newest.passes !== sequencer.passes) return false
  return performance.now() - newest.at < pollMs
}

interface Waiting {
  readonly deadline: number
  readonly signal: AbortSignal | undefined
}

/**
 * Polls only the newest position while it equals the reader's. Its tag proves that there is nothing to read, for 135 µs of CPU at
 * both ends; an empty read takes 530.
 */
async function untilMoved(
  { pool, sequencer }: ChangeParts,
  place: LogPosition,
  { deadline, signal }: Waiting,
): Promise<void> {
  for (;;) {
    const newest = await newestPosition(pool)
    if (newest?.number !== place.number || newest.tag !== place.tag) return
    const left = deadline - performance.now()
    if (left <= 0 || signal?.aborted || (await sequencer.nextPass(Math.min(left, pollMs), signal))) return
  }
}

/** The row at the position proves it: the number must have the same tag, or the reader has seen another history. */
async function readRows(
  pool: Pool,
  { number, tag }: LogPosition,
  { limit, maxBytes = Number.MAX_SAFE_INTEGER }: ReadChangesOptions,
): Promise<ChangeRow[]> {
  const { rows } = await pool.query<ChangeRow | NoChange>({
    name: 'read changes',
    text: readSql,
    values: [number, tag, limit, maxBytes],
    ...binaryRows,
  })
  if (rows[0] && rows[0].about === null) throw revisionExpired()
  const found = rows.filter((row): row is ChangeRow => row.about !== '')
  // A partition dropped during the read must not look like a part that never existed.
  if (found.some(({ about }, at) => numberOf(about) !== number + 1 + at)) throw revisionExpired()
  return found
}

interface NoChange {
  readonly about: null | ''
  readonly data: null
}

/**
 * Everything of a change except its data, one item per line: what it is, the object, labels, sets and keys, then their previous
 * values where they differ. No item contains a line break, because JSON escapes it.
 */
const aboutText = `concat_ws(E'\\n',
  concat_ws(' ', c.revision, c.tag, c.id, c.model, c.op, c.index_generation, c.old_index_generation),
  ${storeFields({ row: 'c', id: 'object_id' })}, c.labels, c.sets, array_to_json(c.keys),
  coalesce(c.old_labels::text, ''), coalesce(c.old_sets::text, ''), coalesce(array_to_json(c.old_keys)::text, ''))`

const readSql = `
  SELECT CASE WHEN proof.proven THEN coalesce(c.about, '') END AS about, c.data FROM (
    SELECT CASE WHEN $1 = 0
      THEN EXISTS (SELECT FROM log_origin WHERE tag = $2::bigint)
        AND coalesce((SELECT min(revision) FROM change_order), 1) = 1
      ELSE EXISTS (SELECT FROM change_order WHERE revision = $1 AND tag = $2::bigint)
    END AS proven
  ) proof
  LEFT JOIN (
    SELECT c.revision, ${aboutText} AS about, c.data
    FROM (
      SELECT o.revision, o.tag, c.*, sum(octet_length(c.data)) OVER (ORDER BY o.revision) - octet_length(c.data) AS before
      FROM change_order o JOIN changes c USING (id)
      WHERE o.revision > $1 ORDER BY o.revision LIMIT $3
    ) c WHERE c.before < $4
  ) c ON proof.proven
  ORDER BY c.revision`

async function toBatch(
  catalog: Catalog,
  { skipped }: { skipped: readonly string[] },
  rows: readonly ChangeRow[],
): Promise<ChangeBatch> {
  let ahead = skipped
  let revision = '' as Revision
  const changes: Change[] = []
  for (const { about, data } of rows) {
    const { id, number, tag } = headOf(about)
    const shown = ahead.includes(id)
    if (shown) ahead = ahead.filter((one) => one !== id)
    revision = encodeRevision({ number, tag, skipped: ahead })
    if (shown) continue
    // Copied, so that keeping an object does not keep everything that was read with it in memory.
    const found = unpackChange(catalog, about, Buffer.from(data))
    const change = found instanceof Promise ? await found : found
    changes.push(ahead.length === 0 ? change : { ...change, revision })
  }
  return { changes, revision }
}

/** Unpacks a change that another replica read from the log. */
export function unpackCarried(
  { catalog, sequencer }: ChangeParts,
  about: string,
  data: Buffer,
): Change | Promise<Change> {
  sequencer.saw(numberOf(about))
  return unpackChange(catalog, about, data)
}

/** Synchronous, unless the layout has to be read first. */
function unpackChange(catalog: Catalog, about: string, data: Buffer): Change | Promise<Change> {
  const { model, generation, oldGeneration } = headOf(about)
  const layout = catalog.knownLayout(model, generation)
  const oldLayout = oldGeneration === undefined ? layout : catalog.knownLayout(model, oldGeneration)
  if (layout && oldLayout) return toChange(about, data, [layout, oldLayout])
  const read = (wanted: number) => catalog.layout(model, wanted)
  return Promise.all([read(generation), read(oldGeneration ?? generation)]).then((layouts) =>
    toChange(about, data, layouts),
  )
}

interface ChangeHead extends LogPosition {
  readonly id: string
  readonly model: number
  readonly op: keyof typeof ops
  readonly generation: number
  readonly oldGeneration: number | undefined
}

function headOf(about: string): ChangeHead {
  const words = about.slice(0, about.indexOf('\n')).split(' ')
  const [number, tag = '', id = '', model, op, generation, oldGeneration] = words
  return {
    number: Number(number),
    tag,
    id,
    model: Number(model),
    op: op as keyof typeof ops,
    generation: Number(generation),
    oldGeneration: oldGeneration === undefined ? undefined : Number(oldGeneration),
  }
}

function numberOf(about: string): number {
  return Number(about.slice(0, about.indexOf(' ')))
}

type Layouts = readonly [now: ModelKey & TableLayout, before: ModelKey & TableLayout]

function toChange(about: string, data: Buffer, [layout, oldLayout]: Layouts): Change {
  const { id, number, tag, op, oldGeneration } = headOf(about)
  const [, owned = '', labels, sets, keys, oldLabels, oldSets, oldKeys] = about.split('\n')
  const now = { labels: parsed(labels), sets: parsed(sets), keys: parsed(keys) } as SlottedValues
  const olds = [oldLabels, oldSets, oldKeys]
  const before = {
    labels: oldLabels ? parsed(oldLabels) : now.labels,
    sets: oldSets ? parsed(oldSets) : now.sets,
    keys: oldKeys ? parsed(oldKeys) : now.keys,
  } as SlottedValues
  const changed = oldGeneration !== undefined || olds.some((old) => old)
  return {
    model: { group: layout.group, plural: layout.plural },
    op: ops[op],
    object: storedObject(owned, data),
    indexed: indexedFrom(layout, now),
    ...(changed && { previous: indexedFrom(oldLayout, before) }),
    declared: op === 'r' || op === 'd',
    revision: encodeRevision({ number, tag, skipped: [] }),
    position: { number, tag },
    id,
  }
}

function parsed(json = 'null'): unknown {
  return JSON.parse(json)
}
