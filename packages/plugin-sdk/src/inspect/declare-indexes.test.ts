import { expect, test } from 'vitest'
import { defineModel, definePlugin, inspect, t } from '../index.ts'
import type { AnyPlugin } from '../index.ts'
import { DefinitionError } from './faults.ts'

const names = { apiVersion: 'map.example.com/v1', kind: 'Place', plural: 'places' } as const
const spec = t.Object({ title: t.String(), count: t.Integer(), tags: t.Array(t.String()) })

/** The types reject most of these mistakes, but a plugin may be written in JavaScript. */
function model(parts: object): AnyPlugin {
  return definePlugin({ name: 'map', models: [defineModel({ ...names, spec, ...parts })] })
}

const cases: readonly (readonly [what: string, plugin: AnyPlugin, where: string, message: string])[] = [
  [
    'an index with an unknown order',
    model({ indexes: [{ path: 'spec.title', order: 'UP' }] }),
    'models.Place.indexes[0]',
    'has the order "UP"; write ASC or DESC',
  ],
  [
    'an index whose function is not a function',
    model({ indexes: [{ name: 'words', multi: 'spec.title' }] }),
    'models.Place.indexes[0]',
    'multi must be a function',
  ],
  [
    'an index with two functions',
    model({ indexes: [{ name: 'words', single: () => null, multi: () => [] }] }),
    'models.Place.indexes[0]',
    'has single and multi; write one of path, single and multi',
  ],
  [
    'an index by name whose path is not in the schema',
    model({ indexes: [{ name: 'spec.titel' }] }),
    'models.Place.indexes[0]',
    '"spec.titel" is not in the schema',
  ],
  [
    'too many indexes',
    model({ indexes: Array.from({ length: 33 }, (_, at) => ({ name: `i${at}`, single: () => null })) }),
    'models.Place.indexes',
    'has 33 indexes; at most 32 are allowed',
  ],
  [
    'too many indexes of several values',
    model({ indexes: Array.from({ length: 9 }, (_, at) => ({ name: `i${at}`, multi: () => [] })) }),
    'models.Place.indexes',
    'has 9 indexes of several values; at most 8 are allowed',
  ],
  [
    'a composite of an unknown index',
    model({ indexes: ['spec.title'], composites: [['spec.title', 'spec.count']] }),
    'models.Place.composites[0]',
    'names no index of this model: "spec.count"',
  ],
  [
    'a composite with an unknown direction',
    model({ indexes: ['spec.title', 'spec.count'], composites: [['spec.title', 'spec.count down']] }),
    'models.Place.composites[0]',
    '"spec.count down" must be <index>, <index> asc or <index> desc',
  ],
  [
    'a composite of one index',
    model({ indexes: ['spec.title'], composites: [['spec.title']] }),
    'models.Place.composites[0]',
    'must name two indexes or more',
  ],
  [
    'a composite of an index of several values',
    model({ indexes: ['spec.title', 'spec.tags'], composites: [['spec.title', 'spec.tags']] }),
    'models.Place.composites[0]',
    '"spec.tags" holds several values; a composite takes single ones',
  ],
  [
    'an asynchronous check',
    model({ check: async () => {} }),
    'models.Place.check',
    'is asynchronous; it must answer at once',
  ],
  [
    'an asynchronous index function',
    model({ indexes: [{ name: 'words', multi: async () => [] }] }),
    'models.Place.indexes[0]',
    'multi is asynchronous; it must answer at once',
  ],
]

test.each(cases)('a model is rejected for %s', (_, plugin, where, message) => {
  expect(faultsOf(plugin)).toEqual([{ where, message: expect.stringContaining(message) as string }])
})

function faultsOf(plugin: AnyPlugin): unknown {
  try {
    return inspect(plugin)
  } catch (error) {
    return error instanceof DefinitionError ? error.faults : error
  }
}
