import type { Check } from './check.ts'

/** Every change has one revision or is pending; it may have had one if old changes were deleted (`isCutOff`). */
export function orderChecks({ isCutOff }: { readonly isCutOff: boolean }): readonly Check[] {
  return isCutOff ? placeChecks : [...placeChecks, placelessCheck]
}

/** Changes without a revision are deleted later, with their partition. */
const placelessCheck: Check = {
  says: 'a change has no place in the order and does not wait for one',
  sql: `SELECT c.id, c.uid, c.version FROM changes c WHERE NOT EXISTS (SELECT FROM change_order o WHERE o.id = c.id)
    AND NOT EXISTS (SELECT FROM pending_changes p WHERE p.id = c.id)`,
}

const placeChecks: readonly Check[] = [
  {
    says: 'the revisions have a gap',
    sql: `SELECT min(revision) AS lowest, max(revision) AS highest, count(*) AS revisions FROM change_order
      HAVING count(*) <> max(revision) - min(revision) + 1`,
  },
  {
    says: 'the sequencer is not at the newest revision',
    sql: `SELECT s.revision AS sequencer, coalesce(o.revision, 0) AS newest
      FROM sequencer s LEFT JOIN (SELECT revision, tag FROM change_order ORDER BY revision DESC LIMIT 1) o ON true
      WHERE s.revision <> coalesce(o.revision, 0) OR s.tag <> coalesce(o.tag, (SELECT tag FROM log_origin))`,
  },
  {
    says: 'a change has two places in the order',
    sql: 'SELECT id, array_agg(revision) AS revisions FROM change_order GROUP BY id HAVING count(*) > 1',
  },
  {
    says: 'the order has a change that is not in the log',
    sql: 'SELECT o.revision, o.id FROM change_order o WHERE NOT EXISTS (SELECT FROM changes c WHERE c.id = o.id)',
  },
  {
    says: 'a change is waiting that is not in the log, or twice, or under another model',
    sql: `SELECT p.id, p.model FROM pending_changes p LEFT JOIN changes c ON c.id = p.id AND c.model = p.model
      WHERE c.id IS NULL UNION ALL SELECT id, model FROM pending_changes GROUP BY id, model HAVING count(*) > 1`,
  },
  {
    says: 'a change has a place in the order and still waits for one',
    sql: 'SELECT o.revision, o.id FROM change_order o WHERE EXISTS (SELECT FROM pending_changes p WHERE p.id = o.id)',
  },
  {
    says: 'a change comes before an earlier one of its object',
    sql: `SELECT uid, version, revision FROM (
        SELECT c.uid, c.version, o.revision, lag(c.version) OVER (PARTITION BY c.model, c.uid ORDER BY o.revision) AS before
        FROM change_order o JOIN changes c USING (id)
      ) placed WHERE before >= version`,
  },
]
