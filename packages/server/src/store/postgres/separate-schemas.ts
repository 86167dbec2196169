/** Locks and notifications are per database; installations in other schemas get their own. Those in `public` keep theirs. */
export const separateSchemas = `
  CREATE FUNCTION installation_scope() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE current_schema() WHEN 'public' THEN '' ELSE ' ' || current_schema() END
  $$;

  -- At most 63 bytes.
  CREATE FUNCTION changes_channel() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT left('changes_in_order' || installation_scope(), 63)
  $$;

  CREATE OR REPLACE FUNCTION sequence_changes(most int, new_tag bigint) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    moved int;
    counters int;
  BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('pergola sequencer' || installation_scope(), 0)) THEN
      RETURN NULL;
    END IF;
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
    IF moved > 0 THEN PERFORM pg_notify(changes_channel(), ''); END IF;
    RETURN moved;
  END $$;
`
