import { setImmediate as nextTurn } from 'node:timers/promises'
import type SqliteDatabase from 'better-sqlite3'
import type { Retention } from '../store.ts'

/** Changes deleted per turn of the event loop: some milliseconds. */
const chunk = 1_000
/** Estimated bytes of a change besides its data. */
const overhead = 300

interface Mark {
  readonly revision: number
  readonly at: number
  readonly bytes: number
}

export function createCompact(
  database: SqliteDatabase.Database,
  now: () => number = Date.now,
): (retention: Retention) => Promise<void> {
  const mark = database.prepare<[{ at: number }]>(markSql)
  const marks = database.prepare<[], Mark>('SELECT revision, at, bytes FROM log_marks ORDER BY revision')
  const forget = database.prepare<[number]>(
    `DELETE FROM changes WHERE revision IN (SELECT revision FROM changes WHERE revision <= ? ORDER BY revision LIMIT ${chunk})`,
  )
  const unmark = database.prepare<[number]>('DELETE FROM log_marks WHERE revision <= ?')
  return async ({ keepMs, maxBytes }) => {
    const at = now()
    mark.run({ at })
    const all = marks.all()
    let bytes = all.reduce((sum, known) => sum + known.bytes, 0)
    let last = 0
    for (const known of all) {
      if (known.at > at - keepMs && bytes <= maxBytes) break
      bytes -= known.bytes
      last = known.revision
    }
    // The newest change is kept: it proves the position after it.
    const newest = all.at(-1)?.revision ?? 0
    for (const end = Math.min(last, newest - 1); forget.run(end).changes === chunk;) await nextTurn()
    unmark.run(Math.min(last, newest - 1))
  }
}

/** Adds no mark when nothing was written since the last one. */
const markSql = `
  INSERT INTO log_marks (revision, at, bytes)
  SELECT max(revision), @at, sum(length(data) + ${overhead}) FROM changes
  WHERE revision > (SELECT coalesce(max(revision), 0) FROM log_marks) HAVING max(revision) IS NOT NULL`
