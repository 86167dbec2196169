import { describe, expect, test } from 'vitest'
import { can, controller, defineModel, defineSettings, owned, roleTemplate, route, schedule, t } from './index.ts'

const Note = defineModel({
  apiVersion: 'note.example.com/v1',
  kind: 'Note',
  plural: 'notes',
  spec: t.Object({ owner: t.String() }),
  indexes: ['spec.owner'],
})

/** Everything that an author declares is an inspectable value without hidden state. */
describe('a declaration is a plain value:', () => {
  test('a model', () => {
    expect(Note).toEqual({
      apiVersion: 'note.example.com/v1',
      group: 'note.example.com',
      version: 'v1',
      kind: 'Note',
      singular: 'note',
      plural: 'notes',
      spec: t.Object({ owner: t.String() }),
      status: undefined,
      statusSubresource: false,
      references: {},
      indexes: ['spec.owner'],
      composites: [],
      check: undefined,
    })
  })

  test('owned objects of a model', () => {
    expect(owned(Note, 'spec.owner')).toEqual({
      model: Note,
      path: 'spec.owner',
      group: 'uc.api.note.example.com',
      version: 'v1',
      plural: 'notes',
      singular: 'note',
      references: {},
    })
  })

  test('a route', () => {
    const handler = () => ({ count: 1 })
    const response = t.Object({ count: t.Integer() })
    expect(route('GET /notes/:name/count', { response }, handler)).toEqual({
      method: 'GET',
      path: '/notes/:name/count',
      response,
      stream: false,
      handler,
    })
  })

  test('a role template and its rules', () => {
    expect(roleTemplate('view', { displayName: 'View notes', rules: [can('get', Note)] })).toEqual({
      template: 'view',
      displayName: 'View notes',
      rules: [{ model: Note, verbs: ['get'], names: [], subresource: undefined }],
      dependencies: [],
      aggregateTo: [],
      hidden: false,
    })
  })

  test('a controller, a schedule and settings', () => {
    const run = async () => {}
    expect(controller(Note, run, { concurrency: 4 })).toEqual({ model: Note, reconcile: run, concurrency: 4 })
    const finalizer = { name: 'copies', finalize: run }
    expect(controller(Note, run, { finalizer })).toMatchObject({ finalizer: 'note.example.com/copies' })
    expect(schedule({ cron: '0 3 * * *' }, run)).toEqual({ timing: { cron: '0 3 * * *' }, run })
    expect(defineSettings(t.Object({}))).toEqual({ schema: t.Object({}) })
  })
})
