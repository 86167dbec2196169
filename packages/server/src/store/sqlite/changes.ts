import { randomInt } from 'node:crypto'
import type SqliteDatabase from 'better-sqlite3'
import { decodeRevision, encodeRevision, revisionExpired } from '../revision.ts'
import type { Change, ChangeBatch, LoggedValues, ReadChangesOptions, Revision } from '../store.ts'
import type { Catalog } from './catalog.ts'
import { indexedFrom, type SlottedValues } from '../indexed-values.ts'
import type { ModelTable, TableLayout } from '../model-table.ts'
import { keysOf, toStoredObject, type ObjectRow } from './object-row.ts'

export interface ChangeLog {
  /** Runs in the transaction that makes the change. */
  append(change: RowChange): void
  head(): Revision
  /** Throws as `Store.readChanges` does; never waits. */
  read(after: Revision, options: Pick<ReadChangesOptions, 'limit' | 'maxBytes'>): ChangeBatch
}

/** A change of one row; without `before` the object was created. */
interface RowChange {
  readonly model: ModelTable
  readonly before: ObjectRow | undefined
  /** The last state, when the object is removed. */
  readonly after: ObjectRow
  readonly removed: boolean
}

type ChangeRow = Parameters<typeof toStoredObject>[0] & {
  readonly revision: number
  readonly tag: number
  readonly model: number
  readonly index_generation: number
  readonly op: keyof typeof ops
  readonly labels: string
  readonly sets: string
  readonly keys: string
  readonly old_labels: string | null
  readonly old_sets: string | null
  readonly old_keys: string | null
  readonly old_index_generation: number | null
}

/** `r`: declared deleted. `d` and `e`: removed, at once or after being declared deleted. */
const ops = { a: 'added', m: 'modified', r: 'modified', d: 'deleted', e: 'deleted' } as const

export function createChangeLog(database: SqliteDatabase.Database, catalog: Catalog): ChangeLog {
  // One tag per process is enough: a restored or copied file is opened by another process.
  const tag = randomInt(2 ** 48 - 1)
  const insert = database.prepare(insertSql)
  const newest = database.prepare<[], { number: number; tag: number }>(newestSql)
  const prove = database.prepare<[{ number: number; tag: string }], { proven: 0 | 1 }>(proveSql)
  const select = database.prepare<[number, number], ChangeRow>(selectSql)
  return {
    append: ({ model, before, after, removed }) => {
      insert.run({
        ...after,
        tag,
        model: model.id,
        op: opOf({ before, after, removed }),
        keys: keysOf(model, after),
        old_labels: before?.labels ?? null,
        old_sets: before?.sets ?? null,
        old_keys: before ? keysOf(model, before) : null,
        old_index_generation: before?.index_generation ?? null,
      })
    },
    head: () => {
      const place = newest.get()
      if (!place) throw new Error('the change log has no origin')
      return revisionOf(place)
    },
    read: (after, { limit, maxBytes = Number.POSITIVE_INFINITY }) => {
      const place = decodeRevision(after)
      if (!prove.get(place)?.proven) throw revisionExpired()
      const changes: Change[] = []
      let bytes = 0
      for (const row of select.iterate(place.number, limit)) {
        changes.push(toChange(catalog, row))
        bytes += row.data.length
        if (bytes >= maxBytes) break
      }
      return { changes, revision: changes.at(-1)?.revision ?? after }
    },
  }
}

function opOf({ before, after, removed }: Omit<RowChange, 'model'>): keyof typeof ops {
  if (!before) return 'a'
  const declared = before.deleted_at === null && after.deleted_at !== null
  if (removed) return declared ? 'd' : 'e'
  return declared ? 'r' : 'm'
}

const insertSql = `
  INSERT INTO changes (tag, model, op, object_id, name, uid, version, generation, deleted_at, index_generation, stored_as,
    labels, sets, keys, old_labels, old_sets, old_keys, old_index_generation, data)
  VALUES (@tag, @model, @op, @id, @name, @uid, @version, @generation, @deleted_at, @index_generation, @stored_as,
    @labels, @sets, @keys, nullif(@old_labels, @labels), nullif(@old_sets, @sets), nullif(@old_keys, @keys),
    nullif(@old_index_generation, @index_generation), @data)`

const newestSql = `
  SELECT revision AS number, tag FROM changes
  UNION ALL SELECT 0, tag FROM change_origin
  ORDER BY number DESC LIMIT 1`

/** The row at the position proves it: the number must have the same tag, or the reader has seen another history. */
const proveSql = `
  SELECT CASE @number
    WHEN 0 THEN EXISTS (SELECT 1 FROM change_origin WHERE tag = @tag)
      AND coalesce((SELECT min(revision) FROM changes), 1) = 1
    ELSE EXISTS (SELECT 1 FROM changes WHERE revision = @number AND tag = @tag)
  END AS proven`

const selectSql = `
  SELECT revision, tag, model, op, object_id AS id, name, uid, version, generation, deleted_at, index_generation, stored_as,
    labels, sets, keys, old_labels, old_sets, old_keys, old_index_generation, data
  FROM changes WHERE revision > ? ORDER BY revision LIMIT ?`

function revisionOf({ number, tag }: { readonly number: number; readonly tag: number }): Revision {
  return encodeRevision({ number, tag: String(tag), skipped: [] })
}

function toChange(catalog: Catalog, row: ChangeRow): Change {
  const { labels, sets, keys, old_labels, old_sets, old_keys, index_generation, old_index_generation } = row
  const layout = catalog.layout(row.model, index_generation)
  const oldLayout = catalog.layout(row.model, old_index_generation ?? index_generation)
  const changed = [old_labels, old_sets, old_keys, old_index_generation].some((old) => old !== null)
  const before = { labels: old_labels ?? labels, sets: old_sets ?? sets, keys: old_keys ?? keys }
  return {
    model: { group: layout.group, plural: layout.plural },
    op: ops[row.op],
    object: toStoredObject(row),
    indexed: indexedOf(layout, row),
    ...(changed && { previous: indexedOf(oldLayout, before) }),
    declared: row.op === 'r' || row.op === 'd',
    revision: revisionOf({ number: row.revision, tag: row.tag }),
    position: { number: row.revision, tag: String(row.tag) },
    id: String(row.revision),
  }
}

type IndexedJson = Pick<ChangeRow, 'labels' | 'sets' | 'keys'>

function indexedOf(layout: TableLayout, { labels, sets, keys }: IndexedJson): LoggedValues {
  const parsed = { labels: JSON.parse(labels), sets: JSON.parse(sets), keys: JSON.parse(keys) } as SlottedValues
  return indexedFrom(layout, parsed)
}
