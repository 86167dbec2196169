import { sql, statement } from '../sql.ts'
import type { Store } from '../store.ts'

/** Returns the key of the feed; stores `fresh` when there is none. Of replicas that start together, one creates the key. */
export async function readFeedKey(store: Store, fresh: Buffer): Promise<Buffer> {
  const text = 'INSERT INTO feed_keys (key) SELECT $1 WHERE NOT EXISTS (SELECT FROM feed_keys) ON CONFLICT DO NOTHING'
  await store[sql](statement(text, [fresh]))
  const [row] = await store[sql](statement('SELECT key FROM feed_keys'))
  if (!Buffer.isBuffer(row?.['key'])) throw new Error('the database has no key for the feed')
  return row['key']
}
