import { expect, test } from 'vitest'
import { defineModel, definePlugin, defineSettings, owned, pageValues, roleTemplate, route, t } from '../index.ts'

const Note = defineModel({
  apiVersion: 'note.example.com/v1',
  kind: 'Note',
  plural: 'notes',
  spec: t.Object({ owner: t.String(), about: t.Optional(t.Ref('users')) }),
  indexes: ['spec.owner'],
})
const view = roleTemplate('view', { displayName: 'View notes' })
const mine = owned(Note, 'spec.owner')
const share = route('POST /notes/:name/share', {}, () => ({}))
const count = route('GET /notes/-/count', {}, () => ({}))
const elsewhere = route('GET /x', {}, () => ({}))
const plugin = definePlugin({ name: 'note', models: [Note], roles: [view], uc: [mine, share], console: [count] })

test('pages import models, owned objects, routes of the plugin and role templates as plain addresses', () => {
  const Settings = defineSettings(t.Object({}))
  const exported = { Note, mine, share, count, view, elsewhere, Settings, limit: 3, help: () => {}, default: plugin }
  const address = { version: 'v1', plural: 'notes', singular: 'note', references: { 'spec.about': 'users' } }
  const values = pageValues(plugin, exported)
  expect(JSON.parse(JSON.stringify(values))).toEqual({
    Note: { ...address, group: 'note.example.com', kind: 'Note' },
    mine: { ...address, group: 'uc.api.note.example.com' },
    share: { method: 'POST', path: '/apis/uc.api.note.example.com/v1/notes/{name}/share' },
    count: { method: 'GET', path: '/apis/console.api.note.example.com/v1/notes/-/count' },
    view: { template: 'view', roleName: 'note-view', uiPermissions: ['plugin:note:view'] },
  })
})
