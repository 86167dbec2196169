import { sql, statement } from '../sql.ts'
import type { Store } from '../store.ts'

/** A counter of attempts that drains by one every `unitMs`. */
export interface AttemptCounter {
  readonly key: string
  readonly most: number
  readonly unitMs: number
  /** When full, the counter lets an attempt pass after a second for each attempt above `most`, at most this long. */
  readonly longestWaitMs?: number
}

/** The remaining level of a counter; $2 is the time and $3 the time in which one unit drains. */
const left = 'login_attempts.level - ($2 - login_attempts.at) * 1.0 / $3'

/** Counts an attempt; returns false when the counter is full. One statement: concurrent attempts cannot exceed the limit. */
export async function countAttempt(store: Store, counter: AttemptCounter, now: number): Promise<boolean> {
  const { key, most, unitMs, longestWaitMs } = counter
  const wait = `CASE WHEN (${left} - $4 + 1) * 1000 < ${longestWaitMs} THEN (${left} - $4 + 1) * 1000 ELSE ${longestWaitMs} END`
  const hasWaited = longestWaitMs === undefined ? '' : `OR $2 - login_attempts.at >= ${wait}`
  const text = `INSERT INTO login_attempts (key, level, at) VALUES ($1, 1, $2)
                ON CONFLICT (key) DO UPDATE SET level = CASE WHEN ${left} > 0 THEN ${left} ELSE 0 END + 1, at = $2
                WHERE ${left} <= $4 - 1 ${hasWaited} RETURNING level`
  return (await store[sql](statement(text, [key, now, unitMs, most]))).length > 0
}

export async function readAttempts(
  store: Store,
  key: string,
): Promise<{ readonly level: number; readonly at: number } | undefined> {
  const [row] = await store[sql](statement('SELECT level, at FROM login_attempts WHERE key = $1', [key]))
  return row && { level: Number(row['level']), at: Number(row['at']) }
}

export async function uncountAttempt(store: Store, key: string): Promise<void> {
  const less = 'CASE WHEN level > 1 THEN level - 1 ELSE 0 END'
  await store[sql](statement(`UPDATE login_attempts SET level = ${less} WHERE key = $1`, [key]))
}

export async function deleteOldAttempts(store: Store, before: number): Promise<void> {
  await store[sql](statement('DELETE FROM login_attempts WHERE at < $1', [before]))
}
