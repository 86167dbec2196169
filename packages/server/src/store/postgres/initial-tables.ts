import { hostTables } from '../host-tables.ts'

/** The host's own tables. Objects are in one table per model, created by `catalog.ts` when a model is opened. */
export const initialTables = `
  -- One row per model. Tables, columns and indexes are named by its id and by slots, never by names from a declaration.
  CREATE TABLE models (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    group_name text COLLATE "C" NOT NULL,
    plural text COLLATE "C" NOT NULL,
    edition bigint NOT NULL,          -- of the declaration that holds: writers by another one are refused
    generation int NOT NULL,          -- of the indexes: rows say by which they were written
    revised int NOT NULL DEFAULT 0,   -- counts every change of this row, so that replicas see that theirs is old
    indexes jsonb NOT NULL,
    composites jsonb NOT NULL,
    columns jsonb NOT NULL,
    discarded jsonb NOT NULL,
    last_slot int NOT NULL,
    UNIQUE (group_name, plural)
  );

  -- Meaning of the slots of a generation, for changes that were logged under it.
  CREATE TABLE model_layouts (
    model int NOT NULL,
    generation int NOT NULL,
    indexes jsonb NOT NULL,
    columns jsonb NOT NULL,
    PRIMARY KEY (model, generation)
  );

  -- Raised for a row changed after the statement began, because the statement cannot see its new side table entries.
  CREATE FUNCTION refuse_old_snapshot() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    RAISE EXCEPTION 'the object has changed since the statement began' USING ERRCODE = 'serialization_failure';
  END $$;

  -- Index builds: one row per model while a build is in progress.
  CREATE TABLE index_builds (
    model int PRIMARY KEY,
    generation int NOT NULL,
    phase text NOT NULL,
    done bigint NOT NULL,
    total bigint NOT NULL,
    per_second float8 NOT NULL,
    reached bigint NOT NULL,          -- every object up to this id has its entries
    started_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  );

  -- The low 20 bits of object ids; the high ones are milliseconds.
  CREATE SEQUENCE object_id CACHE 1;

  CREATE FUNCTION new_object_id() RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT ((extract(epoch FROM clock_timestamp()) * 1000)::bigint << 20) | (nextval('object_id') & 1048575)
  $$;

  -- CACHE 1 and drawn under the object's row lock: per object, id order is then commit order. The sequencer relies on it.
  CREATE SEQUENCE change_id CACHE 1;

  CREATE TABLE changes (
    id bigint NOT NULL,
    model int NOT NULL,
    op "char" NOT NULL,               -- a(dded), m(odified), d(eleted)
    object_id bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    uid uuid NOT NULL,
    version bigint NOT NULL,
    generation bigint NOT NULL,
    deleted_at bigint,
    index_generation int NOT NULL,    -- says what the slots below mean
    stored_as text NOT NULL,
    labels jsonb NOT NULL,
    sets jsonb NOT NULL,
    keys text[] NOT NULL,
    old_labels jsonb,                 -- the old values only where they differ
    old_sets jsonb,
    old_keys text[],
    old_index_generation int,
    data bytea NOT NULL,
    PRIMARY KEY (id)
  ) PARTITION BY RANGE (id);

  -- Committed changes that are not sequenced yet. Every row is deleted within milliseconds, but while a session holds an
  -- old snapshot the dead rows stay: a pass over a million of them took 29 ms against 0.2. So this is a ring of eight small
  -- tables of 4,096 ids each; tables that the writers have left are truncated, which no snapshot prevents.
  CREATE TABLE pending_changes (
    id bigint NOT NULL,
    model int NOT NULL
  ) PARTITION BY LIST ((((id >> 12) & 7)::int));
  ${Array.from({ length: 8 }, (_, at) => `CREATE TABLE pending_changes_${at} PARTITION OF pending_changes FOR VALUES IN (${at});`).join('\n  ')}

  -- Statements that began before a truncation see the empty table, unlike after a delete. This counter is versioned, so
  -- such a statement can be detected and repeated.
  CREATE TABLE log_truncations (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), count bigint NOT NULL);
  INSERT INTO log_truncations (count) VALUES (0);
  CREATE FUNCTION truncations_now() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    RETURN (SELECT count FROM log_truncations);
  END $$;


  -- The order: revisions without gaps, each with the random tag of its batch.
  CREATE TABLE change_order (
    revision bigint NOT NULL,
    tag bigint NOT NULL,
    id bigint NOT NULL,
    PRIMARY KEY (revision)
  ) PARTITION BY RANGE (revision);

  -- The partitions of both. A partition is closed when the newest position is beyond it: all its rows are older than that moment.
  CREATE TABLE log_partitions (
    parent text NOT NULL,
    from_place bigint NOT NULL,
    to_place bigint NOT NULL,
    newest bigint NOT NULL,           -- when it was made
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    left_at timestamptz,
    lowest_id bigint,                 -- of the changes that a left partition of the order mentions
    PRIMARY KEY (parent, from_place)
  );

  -- The newest revision and its tag. Every pass leaves a dead row here, which stays while a session holds an old snapshot;
  -- the table is rewritten when it grows.
  CREATE TABLE sequencer (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    revision bigint NOT NULL,
    tag bigint NOT NULL
  );
  -- The tag of the position before the first revision.
  CREATE TABLE log_origin (tag bigint NOT NULL);
  INSERT INTO log_origin (tag) VALUES ((random() * 9007199254740991)::bigint);
  INSERT INTO sequencer (revision, tag) SELECT 0, tag FROM log_origin;

  -- A list's position in the change log, by the list's own snapshot: revision, tag, edition and revision of the catalog,
  -- truncations before and after, then the changes of the model without a position. One text, because every row contains
  -- it; a function, because its plans are cached: planning over the ring would cost a list more than reading it.
  CREATE FUNCTION list_place(wanted int, most int) RETURNS text LANGUAGE plpgsql STABLE AS $$
  DECLARE
    place text := (SELECT concat_ws(' ', s.revision, s.tag, m.edition, m.revised, t.count)
      FROM sequencer s, log_truncations t, models m WHERE m.id = wanted);
    pending text := (SELECT string_agg(id::text, ' ')
      FROM (SELECT id FROM pending_changes WHERE model = wanted LIMIT most) visible);
  BEGIN
    RETURN place || concat_ws(' ', '', truncations_now(), pending);
  END $$;

  -- One pass of the sequencer: moves the lowest visible pending changes into the order and returns how many, or null while
  -- another pass runs. The lock is a separate statement in a volatile function, so the snapshot of the next statement is
  -- newer than the lock and sees the whole previous pass. The lock lasts until the commit. One notification per pass, never
  -- one per write.
  CREATE FUNCTION sequence_changes(most int, new_tag bigint) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    moved int;
    counters int;
  BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('pergola sequencer', 0)) THEN RETURN NULL; END IF;
    WITH visible AS MATERIALIZED (SELECT id FROM pending_changes ORDER BY id LIMIT most),
    taken AS (DELETE FROM pending_changes WHERE id IN (SELECT id FROM visible) RETURNING id),
    numbered AS MATERIALIZED (SELECT id, row_number() OVER (ORDER BY id) AS place, count(*) OVER () AS total FROM taken),
    counted AS (
      UPDATE sequencer SET revision = revision + (SELECT count(*) FROM numbered), tag = new_tag
      WHERE EXISTS (SELECT FROM numbered) RETURNING revision
    ),
    ordered AS (
      INSERT INTO change_order (revision, tag, id)
      SELECT counted.revision - numbered.total + numbered.place, new_tag, numbered.id FROM numbered, counted
    )
    SELECT count(*), (SELECT count(*) FROM counted) INTO moved, counters FROM numbered;
    IF moved > 0 AND counters = 0 THEN
      RAISE EXCEPTION 'the sequencer has no row' USING ERRCODE = 'serialization_failure';
    END IF;
    IF moved > 0 THEN PERFORM pg_notify('changes_in_order', ''); END IF;
    RETURN moved;
  END $$;

  -- A write that is fenced by a lease locks the token's row; taking the lease over replaces that row and so waits for it.
  CREATE TABLE leases (
    name text COLLATE "C" PRIMARY KEY,
    holder text NOT NULL,
    token bigint NOT NULL,
    expires_at timestamptz NOT NULL
  );
  CREATE TABLE lease_tokens (
    name text COLLATE "C",
    token bigint,
    PRIMARY KEY (name, token)
  );

  -- Authenticates messages between replicas. After deleting the row, the next start creates a new key.
  CREATE TABLE feed_keys (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), key bytea NOT NULL);

  ${hostTables}
`
