import { sql, statement } from '../sql.ts'
import type { Store } from '../store.ts'

/** A log line of a plugin. */
export interface PluginLine {
  /** When the host received it, in milliseconds. */
  readonly at: number
  readonly text: string
}

/** Those who wrote lines. */
export interface Writer {
  readonly plugin: string
  /** The id of a replica. */
  readonly replica: string
  readonly replicaName: string
}

export interface NumberedLine extends PluginLine {
  readonly number: number
  readonly replicaName: string
}

/** Lines kept of each plugin and replica, and returned at most. */
export const maxLines = 500

/**
 * Numbers continue the highest of the plugin. Of two replicas that write at once, the second waits for the first and finds its
 * numbers taken: no number becomes visible before a lower one.
 */
export async function appendPluginLines(store: Store, writer: Writer, lines: readonly PluginLine[]): Promise<void> {
  const { plugin, replica, replicaName } = writer
  for (let left = lines; left.length > 0;) {
    const rows = left.map((_, at) => `(${at + 1}, CAST($${at * 2 + 4} AS bigint), CAST($${at * 2 + 5} AS text))`)
    const text = `WITH given (position, at, line) AS (VALUES ${rows.join(', ')})
      INSERT INTO plugin_lines (plugin, number, replica, replica_name, at, line)
      SELECT $1, coalesce((SELECT max(number) FROM plugin_lines WHERE plugin = $1), 0) + position, $2, $3, at, line
      FROM given WHERE true ON CONFLICT DO NOTHING RETURNING number`
    const values = [plugin, replica, replicaName, ...left.flatMap((line) => [line.at, line.text])]
    const written = await store[sql](statement(text, values))
    // The numbers of the first lines were taken.
    left = left.slice(0, left.length - written.length)
  }
  const oldest = `SELECT number FROM plugin_lines WHERE plugin = $1 AND replica = $2
                  ORDER BY number DESC LIMIT 1 OFFSET ${maxLines}`
  const old = `DELETE FROM plugin_lines WHERE plugin = $1 AND replica = $2 AND number <= (${oldest})`
  await store[sql](statement(old, [plugin, replica]))
}

export interface LinesWanted {
  /** Only lines with higher numbers; all lines if the plugin has no such number. */
  readonly after: number
  /** Only of the replica with this name, or whose id begins like this. */
  readonly replica: string | undefined
}

/** The newest lines of a plugin on all replicas, oldest first, and the number of the newest. */
export async function readPluginLines(
  store: Store,
  plugin: string,
  { after, replica }: LinesWanted,
): Promise<{ readonly lines: readonly NumberedLine[]; readonly last: number }> {
  const [newest] = await store[sql](
    statement('SELECT coalesce(max(number), 0) AS last FROM plugin_lines WHERE plugin = $1', [plugin]),
  )
  const last = Number(newest?.['last'])
  const of = replica === undefined ? '' : 'AND (replica_name = $4 OR substr(replica, 1, length($4)) = $4)'
  const text = `SELECT number, replica_name, at, line FROM plugin_lines
    WHERE plugin = $1 AND number > $2 AND number <= $3 ${of} ORDER BY number DESC LIMIT ${maxLines}`
  const values = [plugin, after > last ? 0 : after, last, ...(replica === undefined ? [] : [replica])]
  const rows = await store[sql](statement(text, values))
  const lines = rows.map((row) => ({
    number: Number(row['number']),
    replicaName: String(row['replica_name']),
    at: Number(row['at']),
    text: String(row['line']),
  }))
  return { lines: lines.toSorted((one, other) => one.at - other.at || one.number - other.number), last }
}

export async function deletePluginLines(store: Store, plugin: string): Promise<void> {
  await store[sql](statement('DELETE FROM plugin_lines WHERE plugin = $1', [plugin]))
}

/** Deletes lines of other replicas, which may no longer exist. */
export async function deleteOldPluginLines(store: Store, own: string, before: number): Promise<void> {
  await store[sql](statement('DELETE FROM plugin_lines WHERE replica <> $1 AND at < $2', [own, before]))
}
