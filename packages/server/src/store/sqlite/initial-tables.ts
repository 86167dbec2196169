import { hostTables } from '../host-tables.ts'

/** The store's own tables. Objects are in one table per model, created by `catalog.ts` when a model is opened. */
export const initialTables = `
  -- One row per model. Tables, columns and indexes are named by its id and by slots, never by names from a declaration.
  CREATE TABLE models (
    id INTEGER PRIMARY KEY,
    group_name TEXT NOT NULL,
    plural TEXT NOT NULL,
    edition INTEGER NOT NULL,           -- of the declaration that holds
    generation INTEGER NOT NULL,        -- of the indexes: rows say by which they were written
    indexes TEXT NOT NULL,
    composites TEXT NOT NULL,
    columns TEXT NOT NULL,
    last_slot INTEGER NOT NULL,
    UNIQUE (group_name, plural)
  ) STRICT;

  -- Meaning of the slots of a generation, for changes that were logged under it.
  CREATE TABLE model_layouts (
    model INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    indexes TEXT NOT NULL,
    columns TEXT NOT NULL,
    PRIMARY KEY (model, generation)
  ) STRICT, WITHOUT ROWID;

  -- There is one writer, so rows commit in the order of their revisions, without gaps. AUTOINCREMENT: numbers are never
  -- reused. The newest row must stay: it proves the position after it.
  CREATE TABLE changes (
    revision INTEGER PRIMARY KEY AUTOINCREMENT,
    tag INTEGER NOT NULL,               -- random, of the process that wrote it
    model INTEGER NOT NULL,
    op TEXT NOT NULL,                   -- a(dded), m(odified), d(eleted)
    object_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    uid TEXT NOT NULL,
    version INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    deleted_at INTEGER,
    index_generation INTEGER NOT NULL,  -- says what the slots below mean
    stored_as TEXT NOT NULL,
    labels TEXT NOT NULL,
    sets TEXT NOT NULL,
    keys TEXT NOT NULL,
    old_labels TEXT,                    -- the old values only where they differ
    old_sets TEXT,
    old_keys TEXT,
    old_index_generation INTEGER,
    data BLOB NOT NULL
  ) STRICT;

  -- The tag of the position before the first change: 53 random bits, a safe integer.
  CREATE TABLE change_origin (tag INTEGER NOT NULL) STRICT;
  INSERT INTO change_origin (tag) VALUES (random() & 9007199254740991);

  -- The log's position at some moments, so that changes need no timestamp.
  CREATE TABLE log_marks (
    revision INTEGER PRIMARY KEY,       -- the newest one then
    at INTEGER NOT NULL,
    bytes INTEGER NOT NULL              -- of the changes since the mark before
  ) STRICT;

  -- The row outlives the lease, so that the next holder's token follows the last one.
  CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT,                        -- null once it was given back
    token INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  ${hostTables}
`
