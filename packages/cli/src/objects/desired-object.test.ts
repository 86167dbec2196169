import { describe, expect, test } from 'vitest'
import { changedObject, comparable, newObject } from './desired-object.ts'

const stored = {
  apiVersion: 'todo.example.com/v1',
  kind: 'Todo',
  metadata: {
    name: 'milk',
    uid: 'u-1',
    version: 4,
    generation: 2,
    creationTimestamp: '2030-01-01T00:00:00.000Z',
    labels: { team: 'blue' },
    annotations: { 'a.example/b': 'c' },
    finalizers: ['todo.example.com/keep'],
  },
  spec: { title: 'Buy milk', state: 'open' },
  status: { remindedAt: 'never' },
}
const type = { apiVersion: stored.apiVersion, kind: stored.kind }
const apart = { statusSubresource: true }
const together = { statusSubresource: false }

describe('an update', () => {
  test('takes the spec from the file and keeps metadata that the file omits', () => {
    const written = { ...type, metadata: { name: 'milk' }, spec: { title: 'Buy oats' } }
    expect(changedObject(written, stored, apart)).toEqual({
      ...type,
      metadata: {
        name: 'milk',
        uid: 'u-1',
        version: 4,
        labels: { team: 'blue' },
        annotations: { 'a.example/b': 'c' },
        finalizers: ['todo.example.com/keep'],
      },
      spec: { title: 'Buy oats' },
      status: { remindedAt: 'never' },
    })
  })

  test('has exactly the labels that the file names', () => {
    const written = { ...type, metadata: { name: 'milk', labels: {}, annotations: null }, spec: {} }
    expect(changedObject(written, stored, apart).metadata).toMatchObject({
      labels: {},
      annotations: { 'a.example/b': 'c' },
    })
  })

  test('uses the version and uid of the file, if it has them', () => {
    const written = { ...type, metadata: { name: 'milk', uid: 'u-0', version: 3 }, spec: {} }
    expect(changedObject(written, stored, apart).metadata).toMatchObject({ uid: 'u-0', version: 3 })
  })

  test('takes the status from the file only when the model has no status sub-resource', () => {
    const written = { ...type, metadata: { name: 'milk' }, spec: {}, status: { remindedAt: 'now' } }
    expect(changedObject(written, stored, apart)).toMatchObject({ status: { remindedAt: 'never' } })
    expect(changedObject(written, stored, together)).toMatchObject({ status: { remindedAt: 'now' } })
  })
})

test('a create omits metadata and status that the server sets', () => {
  expect(newObject(stored, apart)).toEqual({
    ...type,
    metadata: {
      name: 'milk',
      labels: { team: 'blue' },
      annotations: { 'a.example/b': 'c' },
      finalizers: ['todo.example.com/keep'],
    },
    spec: { title: 'Buy milk', state: 'open' },
  })
})

test('writing back an unchanged object is no change', () =>
  expect(comparable(changedObject(stored, stored, apart))).toEqual(comparable(stored)))
