/** What changes are sealed with on their way between replicas. Deleting the row makes a new one at the next start. */
export const feedKeys = `CREATE TABLE feed_keys (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  key bytea NOT NULL
)`
