import { expect, test } from 'vitest'
import type { ListedModel } from './listed-models.ts'
import { referencesTo } from './references-to.ts'

const events = { group: 'a.example.com', plural: 'events' }

function model(plural: string, version: string, refersTo: Readonly<Record<string, typeof events>>): ListedModel {
  const indexes = [
    { name: 'spec.title', type: 'string', multi: false, unique: false },
    ...Object.entries(refersTo).map(([name, to]) => ({
      name,
      type: 'string',
      multi: true,
      unique: false,
      refersTo: to,
    })),
  ]
  const names = { group: 'a.example.com', version, kind: 'Any', singular: 'any', plural }
  return { ...names, statusSubresource: false, verbs: [], indexes, isOwn: false, hasPage: false }
}

test('every reference to a model is found once, whatever versions the other models have', () => {
  const models = [
    model('seats', 'v1', { 'spec.event': events, 'spec.former': events }),
    model('seats', 'v2', { 'spec.event': events }),
    model('notes', 'v1', { 'spec.about': { group: 'b.example.com', plural: 'events' } }),
    model('events', 'v1', { 'spec.after': events }),
  ]
  expect(referencesTo(events, models).map(({ model: { plural }, path }) => `${plural} ${path}`)).toEqual([
    'seats spec.event',
    'seats spec.former',
    'events spec.after',
  ])
})
