import { expect, test } from 'vitest'
import type { KnownResource } from '../server/known-resource.ts'
import { createExpansion } from './expansion.ts'

const halls: KnownResource = {
  group: 'a.example',
  version: 'v1',
  path: '/apis/a.example/v1',
  kind: 'Hall',
  singular: 'hall',
  plural: 'halls',
  statusSubresource: false,
  indexes: [],
  display: { title: 'spec.label' },
}
const reference = (group: string, plural: string) => ({ type: 'string', 'x-reference': { group, plural } })
const schema = {
  properties: {
    spec: {
      properties: {
        hall: reference('a.example', 'halls'),
        stops: { type: 'array', items: { properties: { host: reference('', 'users') } } },
      },
    },
  },
}
const object = (spec: object) => ({ apiVersion: 'v1', kind: 'X', metadata: {}, spec }) as never

test('a column shows the titles of the expanded objects, and the names of those without', () => {
  const expansion = createExpansion({ paths: ['spec.hall', 'spec.stops[].host'], known: [halls], keepsAll: false })
  const columns = expansion.columns(schema)
  expect(columns.map(({ head }) => head)).toEqual(['HALL TITLE', 'HOST TITLE'])
  const cells = (spec: object) => columns.map(({ cellOf }) => cellOf({ spec }))
  const users = { ann: object({ displayName: 'Ann\u001b' }) }
  expansion.take({ expanded: { 'halls.a.example': { a: object({ label: 'Arena' }) }, users } })
  expect(cells({ hall: 'a', stops: [{ host: 'ann' }, {}, { host: 'bob' }] })).toEqual(['Arena', 'Ann\\u{1b}, bob'])
  expect(cells({})).toEqual(['', ''])
  expansion.take({ expanded: {} })
  expect(cells({ hall: 'a' })).toEqual(['a', ''])
})

test('the pages are merged for JSON', () => {
  const { take, answered } = createExpansion({ paths: [], known: [], keepsAll: true })
  take({ expanded: { users: { ann: object({}) } }, expandedIsPartial: true })
  take({ expanded: { users: { bob: object({}) } } })
  expect(answered()).toEqual({ expanded: { users: { ann: object({}), bob: object({}) } }, expandedIsPartial: true })
})
