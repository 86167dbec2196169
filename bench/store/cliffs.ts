/** Data for the two slow cases: a tag that only the oldest objects have, and a city whose objects come last by score. */
export const cliffSql = `
  UPDATE m_1 SET sets = jsonb_set(sets, '{5}', (sets -> '5') || '["oldest"]') WHERE id IN (SELECT id FROM m_1 ORDER BY id LIMIT 6000);
  INSERT INTO m_1_s5 (value, id) SELECT 'oldest', id FROM m_1 ORDER BY id LIMIT 6000;
  UPDATE m_1 SET ix_1 = 'nowhere' WHERE id IN (SELECT id FROM m_1 ORDER BY ix_3, id LIMIT 3000);`
