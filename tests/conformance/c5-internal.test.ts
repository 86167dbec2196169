import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const roles = '/api/v1alpha1/roles'
/** Together more than the 16 MB that SQLite keeps in memory; PostgreSQL loses its database, whatever is in it. */
const heavy = { bytes: 250_000, objects: { SQLite: 80, 'PostgreSQL 18': 1 } }

onEachEngine((api) => {
  test('C5-25 a failure of the inside tells nothing of it', async () => {
    const annotations = { 'a.example/b': 'x'.repeat(heavy.bytes) }
    for (let at = 0; at < heavy.objects[api.engine]; at++) {
      const body = { metadata: { name: `heavy-${at}`, annotations }, rules: [] }
      expectStatus(await api.request('POST', roles, { body }), 201)
    }
    await api.breakDatabase()
    const answer = await api.request('GET', `${roles}/heavy-0`)
    expectProblem(answer, 500, 'Internal')
    expect(answer.text).not.toMatch(/sql|postgres|disk|malformed|does not exist|\.ts\b/i)
    expect(answer.text).not.toContain(tmpdir())
  })
})
