import type { Pool } from 'pg'
import { decodeRevision, encodeRevision, revisionExpired } from '../revision.ts'
import type { Change, ChangeBatch, ReadChangesOptions, Revision } from '../store.ts'
import type { Catalog } from './catalog.ts'
import { indexedFrom } from '../indexed-values.ts'
import { dataText, ownedText, toStoredObject, type ObjectRow } from './object-row.ts'
import type { Sequencer } from './sequencer.ts'

interface ChangeRow extends ObjectRow {
  readonly revision: string
  readonly tag: string
  readonly id: string
  readonly model: number
  readonly index_generation: number
  readonly op: 'a' | 'm' | 'd'
  readonly labels: Record<string, string>
  readonly sets: Record<string, string[]>
  readonly keys: (string | null)[]
  readonly old_labels: Record<string, string> | null
  readonly old_sets: Record<string, string[]> | null
  readonly old_keys: (string | null)[] | null
  readonly old_index_generation: number | null
}

const ops = { a: 'added', m: 'modified', d: 'deleted' } as const

export interface ChangeParts {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly sequencer: Sequencer
}

export async function head(pool: Pool): Promise<Revision> {
  for (;;) {
    const { rows } = await pool.query<{ revision: string; tag: string }>('SELECT revision, tag FROM sequencer')
    const [row] = rows
    // None while the table is written anew.
    if (row) return encodeRevision({ number: Number(row.revision), tag: row.tag, skipped: [] })
  }
}

export async function readChanges(
  parts: ChangeParts,
  after: Revision,
  options: ReadChangesOptions,
): Promise<ChangeBatch> {
  const place = decodeRevision(after)
  const deadline = performance.now() + options.waitMs
  for (;;) {
    const rows = await readRows(parts.pool, place, options.limit)
    if (rows.length > 0) return toBatch(parts.catalog, place, rows)
    const left = deadline - performance.now()
    if (left <= 0 || options.signal?.aborted) return { changes: [], revision: after }
    await parts.sequencer.nextPass(Math.min(left, 100), options.signal)
  }
}

/** The row at the place proves it: the same number with the same tag, or this is not the history the reader has seen. */
async function readRows(
  pool: Pool,
  { number, tag }: { number: number; tag: string },
  limit: number,
): Promise<ChangeRow[]> {
  const { rows } = await pool.query<ChangeRow & { proven: boolean }>({
    name: 'read changes',
    text: readSql,
    values: [number, tag, limit],
  })
  if (!rows[0]?.proven) throw revisionExpired()
  const found = rows.filter(({ revision }) => revision !== null)
  // A part of the log that goes while it is read must not look like a part that never was.
  if (found.some(({ revision }, at) => Number(revision) !== number + 1 + at)) throw revisionExpired()
  return found
}

const readSql = `
  SELECT proof.proven, c.* FROM (
    SELECT CASE WHEN $1 = 0
      THEN EXISTS (SELECT FROM log_origin WHERE tag = $2::bigint)
        AND coalesce((SELECT min(revision) FROM change_order), 1) = 1
      ELSE EXISTS (SELECT FROM change_order WHERE revision = $1 AND tag = $2::bigint)
    END AS proven
  ) proof
  LEFT JOIN (
    SELECT o.revision, o.tag, c.id, c.model, c.op, ${ownedText({ row: 'c', id: 'object_id' })} AS owned,
      c.index_generation, c.labels, c.sets, c.keys,
      c.old_labels, c.old_sets, c.old_keys, c.old_index_generation, ${dataText('c.data')} AS data
    FROM change_order o JOIN changes c USING (id)
    WHERE o.revision > $1 ORDER BY o.revision LIMIT $3
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
  for (const row of rows) {
    const shown = ahead.includes(row.id)
    if (shown) ahead = ahead.filter((id) => id !== row.id)
    revision = encodeRevision({ number: Number(row.revision), tag: row.tag, skipped: ahead })
    if (!shown) changes.push(await toChange(catalog, row, revision))
  }
  return { changes, revision }
}

async function toChange(catalog: Catalog, row: ChangeRow, revision: Revision): Promise<Change> {
  const { model, index_generation, old_labels, old_sets, old_keys, old_index_generation } = row
  const layout = await catalog.layout(model, index_generation)
  const olds = [old_labels, old_sets, old_keys, old_index_generation]
  const before = { labels: old_labels ?? row.labels, sets: old_sets ?? row.sets, keys: old_keys ?? row.keys }
  const changed = olds.some((old) => old !== null)
  const oldLayout = changed ? await catalog.layout(model, old_index_generation ?? index_generation) : layout
  return {
    model: { group: layout.group, plural: layout.plural },
    op: ops[row.op],
    object: toStoredObject(row),
    indexed: indexedFrom(layout, row),
    ...(changed && { previous: indexedFrom(oldLayout, before) }),
    revision,
  }
}
