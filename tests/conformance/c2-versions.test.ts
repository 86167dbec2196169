import { expect, test } from 'vitest'
import { thing } from './collection.ts'
import { expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

onEachEngine((api) => {
  test('C1-1 S9-3 roles are served in the core group', async () => {
    const answer = await api.request('GET', '/api/v1alpha1/roles/author')
    expectStatus(answer, 200)
    expect(answer.body).toMatchObject({ apiVersion: 'v1alpha1', kind: 'Role' })
  })
  test('C2-10 a new object has version 0', async () => {
    const things = await api.things()
    expect((await things.created(thing())).metadata.version).toBe(0)
  })
})
