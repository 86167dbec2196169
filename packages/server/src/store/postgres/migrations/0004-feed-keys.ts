/** The key that encrypts changes in transit between replicas. After deleting the row, the next start creates a new key. */
export const feedKeys = `CREATE TABLE feed_keys (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  key bytea NOT NULL
)`
