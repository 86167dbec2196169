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

describe('an object that is to be changed', () => {
  test('has what the file says in place of what is stored, and keeps what others write', () => {
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

  test('has the labels that the file names, and no others', () => {
    const written = { ...type, metadata: { name: 'milk', labels: {}, annotations: null }, spec: {} }
    expect(changedObject(written, stored, apart).metadata).toMatchObject({
      labels: {},
      annotations: { 'a.example/b': 'c' },
    })
  })

  test('carries the version and the identity that its writer had read', () => {
    const written = { ...type, metadata: { name: 'milk', uid: 'u-0', version: 3 }, spec: {} }
    expect(changedObject(written, stored, apart).metadata).toMatchObject({ uid: 'u-0', version: 3 })
  })

  test('has a status of the file only where the object carries it', () => {
    const written = { ...type, metadata: { name: 'milk' }, spec: {}, status: { remindedAt: 'now' } }
    expect(changedObject(written, stored, apart)).toMatchObject({ status: { remindedAt: 'never' } })
    expect(changedObject(written, stored, together)).toMatchObject({ status: { remindedAt: 'now' } })
  })
})

test('an object that is to be made has nothing that a server has said of it', () => {
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

test('what is read and written back is the same', () =>
  expect(comparable(changedObject(stored, stored, apart))).toEqual(comparable(stored)))
