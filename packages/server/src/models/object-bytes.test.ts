import { describe, expect, test } from 'vitest'
import type { StoredObject } from '../store/store.ts'
import { createBuiltInModel } from './definition/built-in-model.ts'
import type { JsonObject } from './object.ts'
import { toBytes, toData } from './object-bytes.ts'

const model = createBuiltInModel({
  group: 'g.example',
  version: 'v1',
  kind: 'Todo',
  singular: 'todo',
  plural: 'todos',
  schema: { properties: {} },
})
const owned = {
  name: 'milk',
  uid: '01890000-0000-7000-8000-000000000000',
  version: 3,
  generation: 2,
  createdAt: 0,
  storedAs: 'v1',
}

function served(sent: JsonObject, more: Partial<StoredObject> = {}): unknown {
  return JSON.parse(toBytes(model, { ...owned, data: toData(sent), ...more }).toString())
}

describe('an object is served as sent, with the server-owned fields, if it has', () => {
  const cases: readonly (readonly [what: string, sent: JsonObject])[] = [
    ['no fields', { metadata: {} }],
    ['only metadata', { metadata: { labels: { a: 'b' } } }],
    ['only fields', { metadata: {}, spec: { title: '"}{' } }],
    ['both', { metadata: { labels: {}, annotations: { 'a/b': '\n' }, finalizers: ['x/y'] }, spec: {}, status: null }],
    ['a field that is an empty object', { metadata: {}, spec: {} }],
  ]
  for (const [what, sent] of cases) {
    test(what, () => {
      const { metadata, ...fields } = sent
      expect(served(sent)).toEqual({
        apiVersion: 'g.example/v1',
        kind: 'Todo',
        metadata: {
          name: 'milk',
          uid: owned.uid,
          version: 3,
          generation: 2,
          creationTimestamp: '1970-01-01T00:00:00.000Z',
          ...metadata,
        },
        ...fields,
      })
    })
  }
})

test('keys have a readable order, and the stored version of the model is used', () => {
  const text = toBytes(model, {
    ...owned,
    storedAs: 'v2',
    deletedAt: 1,
    data: toData({ metadata: { labels: {} }, spec: {} }),
  }).toString()
  expect(text).toBe(
    '{"apiVersion":"g.example/v2","kind":"Todo","metadata":{"name":"milk","uid":"01890000-0000-7000-8000-000000000000",' +
      '"version":3,"generation":2,"creationTimestamp":"1970-01-01T00:00:00.000Z","deletionTimestamp":"1970-01-01T00:00:00.001Z",' +
      '"labels":{}},"spec":{}}',
  )
})
