import { describe, expect, test } from 'vitest'
import { maxAnnotationBytes, maxFinalizers, maxLabels, metadataErrors } from './metadata.ts'

const many = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]))
const finalizers = (count: number) => Array.from({ length: count }, (_, at) => `example.com/f${at}`)

describe('accepts', () => {
  const cases: readonly (readonly [what: string, metadata: unknown])[] = [
    ['a name', { name: 'a' }],
    ['generateName', { generateName: 'todo-' }],
    [
      'labels, annotations and finalizers up to their limits',
      {
        name: 'a',
        labels: many(maxLabels, 'v'),
        annotations: { a: 'x'.repeat(maxAnnotationBytes - 1) },
        finalizers: finalizers(maxFinalizers),
      },
    ],
    [
      'any value in server-owned fields',
      { name: 'a', uid: 7, version: 'x', creationTimestamp: null, generation: -1, deletionTimestamp: '' },
    ],
  ]
  for (const [what, metadata] of cases) test(what, () => expect(metadataErrors(metadata)).toEqual([]))
})

describe('rejects', () => {
  const cases: readonly (readonly [what: string, metadata: unknown, field: string, rule: string])[] = [
    ['no name', {}, 'metadata.name', 'required'],
    ['a bad name', { name: 'A' }, 'metadata.name', 'name'],
    ['a bad prefix', { generateName: 'Todo-' }, 'metadata.generateName', 'name'],
    ['a prefix too long for a name', { generateName: 'a'.repeat(246) }, 'metadata.generateName', 'name'],
    ['a name of another type', { name: 7 }, 'metadata.name', 'type'],
    ['an unknown field', { name: 'a', ownerReferences: [] }, 'metadata.ownerReferences', 'unknown'],
    ['a bad label key', { name: 'a', labels: { '-': 'v' } }, 'metadata.labels.-', 'key'],
    [
      'a bad label value',
      { name: 'a', labels: { 'example.com/k': 'a ' } },
      'metadata.labels["example.com/k"]',
      'labelValue',
    ],
    ['a label that is no string', { name: 'a', labels: { k: 1 } }, 'metadata.labels.k', 'type'],
    ['a bad annotation key', { name: 'a', annotations: { 'a/b/c': '' } }, 'metadata.annotations["a/b/c"]', 'key'],
    ['a finalizer with a space', { name: 'a', finalizers: ['x y'] }, 'metadata.finalizers[0]', 'finalizer'],
    ['a duplicate finalizer', { name: 'a', finalizers: ['a/b', 'a/b'] }, 'metadata.finalizers[1]', 'finalizer'],
    ['too many labels', { name: 'a', labels: many(maxLabels + 1, 'v') }, 'metadata.labels', 'limit'],
    [
      'too many bytes of annotations',
      { name: 'a', annotations: { a: 'é'.repeat(maxAnnotationBytes / 2) } },
      'metadata.annotations',
      'limit',
    ],
    ['too many finalizers', { name: 'a', finalizers: finalizers(maxFinalizers + 1) }, 'metadata.finalizers', 'limit'],
    ['a string instead of an object', 'name', 'metadata', 'type'],
  ]
  for (const [what, metadata, field, rule] of cases) {
    test(what, () => expect(metadataErrors(metadata)).toEqual([expect.objectContaining({ field, rule })]))
  }
})

test('far too many finalizers are rejected in linear time', () => {
  let reads = 0
  const read = (target: string[], key: string | symbol): unknown => (reads++, Reflect.get(target, key))
  const errors = metadataErrors({ name: 'a', finalizers: new Proxy(finalizers(30_000), { get: read }) })
  expect(errors.map(({ field }) => field)).toEqual(['metadata.finalizers'])
  expect(reads).toBeLessThan(300_000)
})
