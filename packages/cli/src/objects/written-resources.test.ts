import { describe, expect, test } from 'vitest'
import type { KnownResource } from '../server/known-resource.ts'
import type { ObjectDocument } from './read-documents.ts'
import { resolveDocuments, wavesOf } from './written-resources.ts'

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

test('models are written first, then users and roles, then the rest', () => {
  const documents = [
    document('v1alpha1', 'RoleBinding'),
    document('todo.example.com/v1', 'Todo'),
    document('v1alpha1', 'User'),
    document('plugin.platform.run/v1alpha1', 'Model'),
    document('v1alpha1', 'Role'),
  ]
  const waves = wavesOf(resolveDocuments(documents, known))
  expect(waves.map((wave) => wave.map(({ resource }) => resource?.kind))).toEqual([
    ['Model'],
    ['User', 'Role'],
    ['RoleBinding', 'Todo'],
  ])
})

test('an object whose model is in the same input is resolved later', () => {
  const model = { group: 'note.example.com', kind: 'Note', versions: [{ name: 'v1' }] }
  const documents = [document('note.example.com/v1', 'Note'), document('plugin.platform.run/v1alpha1', 'Model', model)]
  expect(resolveDocuments(documents, known).map(({ resource }) => resource?.kind)).toEqual([undefined, 'Model'])
})

describe('an unknown type is rejected', () => {
  test.each([
    ['with a suggestion for a misspelt kind', 'todo.example.com/v1', 'Toddo', /did you mean Todo\?/],
    ['with the versions that exist', 'todo.example.com/v2', 'Todo', /it is in todo\.example\.com\/v1/],
    ['with the kinds of the group', 'todo.example.com/v1', 'Elephant', /there are Todo/],
    [
      'with a hint at its plugin, for an unknown group',
      'other.example.com/v1',
      'Other',
      /is its plugin installed and started\?/,
    ],
    [
      'with a hint at its plugin, for an unknown version of the host',
      'plugin.platform.run/v1',
      'Modell',
      /is its plugin installed/,
    ],
  ])('%s', (_what, apiVersion, kind, words) =>
    expect(() => resolveDocuments([document(apiVersion, kind)], known)).toThrow(words),
  )
})
