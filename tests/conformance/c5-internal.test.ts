import { tmpdir } from 'node:os'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const roles = '/api/v1alpha1/roles'
/** More in total than the 16 MB that SQLite caches; on PostgreSQL the tables are renamed, so one object is enough. */
const heavy = { bytes: 250_000, objects: { SQLite: 80, 'PostgreSQL 18': 1 } }

onEachEngine((api) => {
  test('C5-25 an internal failure is 500 and reveals no internal details', async () => {
    const annotations = { 'a.example/b': 'x'.repeat(heavy.bytes) }
    for (let at = 0; at < heavy.objects[api.engine]; at++) {
      const body = { metadata: { name: `heavy-${at}`, annotations }, rules: [] }
      expectStatus(await api.request('POST', roles, { body }), 201)
    }
    if (api.engine === 'SQLite') await api.breakDatabase()
    else await hideTables(api.databaseUrl())
    const answer = await api.request('GET', `${roles}/heavy-0`)
    expectProblem(answer, 500, 'Internal')
    expect(answer.text).not.toMatch(/sql|postgres|disk|malformed|does not exist|\.ts\b/i)
    expect(answer.text).not.toContain(tmpdir())
  })
})

/** Renames the tables of objects: a failure that is not an outage. */
async function hideTables(connectionString: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  await client.query(`DO $$ DECLARE model text; BEGIN
    FOR model IN SELECT tablename FROM pg_tables WHERE tablename ~ '^m_[0-9]+$' LOOP
      EXECUTE format('ALTER TABLE %I RENAME TO %I', model, 'hidden_' || model);
    END LOOP;
  END $$`)
  await client.end()
}
