import type { Pool } from 'pg'
import { decodeRevision, encodeRevision, revisionExpired } from '../revision.ts'
import type { Change, ChangeBatch, ReadChangesOptions, Revision } from '../store.ts'
import type { Catalog } from './catalog.ts'
import { indexedFrom } from '../indexed-values.ts'
import type { ModelTable } from '../model-table.ts'
import { toStoredObject, type ObjectRow } from './object-row.ts'
import type { Sequencer } from './sequencer.ts'

interface ChangeRow extends ObjectRow {
  readonly revision: string
  readonly tag: string
  readonly id: string
  readonly model: number
  readonly op: 'a' | 'm' | 'd'
  readonly labels: Record<string, string>
  readonly sets: Record<string, string[]>
  readonly keys: (string | null)[]
  readonly old_labels: Record<string, string> | null
  readonly old_sets: Record<string, string[]> | null
  readonly old_keys: (string | null)[] | null
}

const ops = { a: 'added', m: 'modified', d: 'deleted' } as const

export interface ChangeParts {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly sequencer: Sequencer
}

export async function head(pool: Pool): Promise<Revision> {
  const { rows } = await pool.query<{ revision: string; tag: string }>('SELECT revision, tag FROM sequencer')
  const [row] = rows
  if (!row) throw new Error('the sequencer has no row')
  return encodeRevision({ number: Number(row.revision), tag: row.tag, skipped: [] })
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
    if (rows.length > 0) return toBatch(await tablesOf(parts.catalog, rows), place, rows)
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
  return rows.filter(({ revision }) => revision !== null)
}

const readSql = `
  SELECT proof.proven, c.* FROM (
    SELECT CASE WHEN $1 = 0
      THEN EXISTS (SELECT FROM sequencer WHERE origin = $2::bigint AND (revision = 0 OR EXISTS (SELECT FROM change_order WHERE revision = 1)))
      ELSE EXISTS (SELECT FROM change_order WHERE revision = $1 AND tag = $2::bigint)
    END AS proven
  ) proof
  LEFT JOIN (
    SELECT o.revision, o.tag, c.id, c.model, c.op, c.name, c.uid, c.version, c.generation, c.object_id >> 20 AS created_at,
      c.deleted_at, c.stored_as, c.labels, c.sets, c.keys, c.old_labels, c.old_sets, c.old_keys, c.data
    FROM change_order o JOIN changes c USING (id)
    WHERE o.revision > $1 ORDER BY o.revision LIMIT $3
  ) c ON proof.proven
  ORDER BY c.revision`

function toBatch(
  tables: ReadonlyMap<number, ModelTable>,
  { skipped }: { skipped: readonly string[] },
  rows: readonly ChangeRow[],
): ChangeBatch {
  let ahead = skipped
  let revision = '' as Revision
  const changes: Change[] = []
  for (const row of rows) {
    const shown = ahead.includes(row.id)
    if (shown) ahead = ahead.filter((id) => id !== row.id)
    revision = encodeRevision({ number: Number(row.revision), tag: row.tag, skipped: ahead })
    const table = tables.get(row.model)
    if (!shown && table) changes.push(toChange(table, row, revision))
  }
  return { changes, revision }
}

async function tablesOf(catalog: Catalog, rows: readonly ChangeRow[]): Promise<ReadonlyMap<number, ModelTable>> {
  const ids = [...new Set(rows.map(({ model }) => model))]
  return new Map(await Promise.all(ids.map(async (id) => [id, await catalog.byId(id)] as const)))
}

function toChange(table: ModelTable, row: ChangeRow, revision: Revision): Change {
  const changed = row.old_labels !== null || row.old_sets !== null || row.old_keys !== null
  const before = {
    labels: row.old_labels ?? row.labels,
    sets: row.old_sets ?? row.sets,
    keys: row.old_keys ?? row.keys,
  }
  return {
    model: { group: table.group, plural: table.plural },
    op: ops[row.op],
    object: toStoredObject(row),
    indexed: indexedFrom(table, row),
    ...(changed && { previous: indexedFrom(table, before) }),
    revision,
  }
}
