const slots = [0, 1, 2, 3, 4, 5, 6, 7]

/**
 * A pass that deletes from the slots of the ring where its changes are: a deletion from all eight tables takes as long to begin
 * and to end as the rest of a pass together. The plans are the same for any number of changes, so they are never made again.
 *
 * The statements may see different snapshots, but nothing else deletes pending changes, and the lock keeps other passes out.
 */
export const quickPasses = `
  CREATE OR REPLACE FUNCTION sequence_changes(most int, new_tag bigint) RETURNS int LANGUAGE plpgsql VOLATILE
  SET plan_cache_mode = force_generic_plan AS $$
  DECLARE
    ids bigint[];
    moved int;
    newest bigint;
    oldest_block bigint;
  BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('pergola sequencer' || installation_scope(), 0)) THEN
      RETURN NULL;
    END IF;
    ids := ARRAY(SELECT id FROM pending_changes ORDER BY id LIMIT most);
    moved := cardinality(ids);
    IF moved = 0 THEN RETURN 0; END IF;
    oldest_block := ids[1] >> 12;
    FOR block IN oldest_block .. least(ids[moved] >> 12, oldest_block + ${slots.length - 1}) LOOP
      CASE (block & ${slots.length - 1})
        ${slots.map((slot) => `WHEN ${slot} THEN DELETE FROM pending_changes_${slot} WHERE id IN (SELECT unnest(ids));`).join('\n        ')}
      END CASE;
    END LOOP;
    UPDATE sequencer SET revision = revision + moved, tag = new_tag RETURNING revision INTO newest;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the sequencer has no row' USING ERRCODE = 'serialization_failure';
    END IF;
    INSERT INTO change_order (revision, tag, id)
    SELECT newest - moved + place, new_tag, id FROM unnest(ids) WITH ORDINALITY AS taken (id, place);
    PERFORM pg_notify(changes_channel(), '');
    RETURN moved;
  END $$;
`
