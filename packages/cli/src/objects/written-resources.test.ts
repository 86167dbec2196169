import { describe, expect, test } from 'vitest'
import type { KnownResource } from '../server/resources.ts'
import type { ObjectDocument } from './read-documents.ts'
import { placeDocuments, wavesOf } from './written-resources.ts'

const known: readonly KnownResource[] = [
  ['', 'v1alpha1', 'Role'],
  ['', 'v1alpha1', 'User'],
  ['', 'v1alpha1', 'RoleBinding'],
  ['plugin.platform.run', 'v1alpha1', 'Model'],
  ['todo.example.com', 'v1', 'Todo'],
].map(([group = '', version = '', kind = '']) => {
  const singular = kind.toLowerCase()
  return { group, version, path: '', kind, singular, plural: `${singular}s`, statusSubresource: false, indexes: [] }
})

function document(apiVersion: string, kind: string, spec: object = {}): ObjectDocument {
  const object = { apiVersion, kind, metadata: { name: kind.toLowerCase() }, spec }
  return { file: 'a.yaml', number: 1, object, placeOf: () => 'a.yaml:1' }
}

test('models go first, then users and roles, then the rest', () => {
  const documents = [
    document('v1alpha1', 'RoleBinding'),
    document('todo.example.com/v1', 'Todo'),
    document('v1alpha1', 'User'),
    document('plugin.platform.run/v1alpha1', 'Model'),
    document('v1alpha1', 'Role'),
  ]
  const waves = wavesOf(placeDocuments(documents, known))
  expect(waves.map((wave) => wave.map(({ resource }) => resource?.kind))).toEqual([
    ['Model'],
    ['User', 'Role'],
    ['RoleBinding', 'Todo'],
  ])
})

test('an object of a model that is yet to be made waits for it', () => {
  const model = { group: 'note.example.com', kind: 'Note', versions: [{ name: 'v1' }] }
  const documents = [document('note.example.com/v1', 'Note'), document('plugin.platform.run/v1alpha1', 'Model', model)]
  expect(placeDocuments(documents, known).map(({ resource }) => resource?.kind)).toEqual([undefined, 'Model'])
})

describe('a type that there is not is refused', () => {
  test.each([
    ['nearly', 'todo.example.com/v1', 'Toddo', /did you mean Todo\?/],
    ['in that version', 'todo.example.com/v2', 'Todo', /it is in todo\.example\.com\/v1/],
    ['at all in a group that there is', 'todo.example.com/v1', 'Elephant', /there are Todo/],
    ['in any group', 'other.example.com/v1', 'Other', /is its plugin installed and started\?/],
    ['by a model without versions', 'plugin.platform.run/v1', 'Modell', /is its plugin installed/],
  ])('%s', (_what, apiVersion, kind, words) =>
    expect(() => placeDocuments([document(apiVersion, kind)], known)).toThrow(words),
  )
})
