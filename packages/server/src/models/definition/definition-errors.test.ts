import { describe, expect, test } from 'vitest'
import { modelSpec } from '../contract/replica.ts'
import { definitionErrors } from './definition-errors.ts'
import type { ModelSpec } from './definition.ts'

const text = { type: 'string' }
const tags = { type: 'array', items: text }
const sound = modelSpec(
  { city: text, age: { type: 'integer' }, tags },
  { indexes: [{ name: 'spec.city' }, { name: 'age', path: 'spec.age', order: 'DESC' }, { name: 'spec.tags' }] },
)
const schemaOf = (schema: object): Partial<ModelSpec> => ({
  versions: [{ name: 'v1', schema: { properties: {}, ...schema } }],
})
const versionOf = (name: string): Partial<ModelSpec> => ({
  versions: [{ name, schema: { properties: {} } }],
  indexes: [],
})
const manyFields = (count: number, schema: object): ModelSpec => {
  const names = Array.from({ length: count }, (_, at) => `f${at}`)
  const properties = Object.fromEntries(names.map((name) => [name, schema]))
  return modelSpec(properties, { indexes: names.map((name) => ({ name: `spec.${name}` })) })
}
const label = 'a'.repeat(63)

describe('accepts', () => {
  const cases: readonly (readonly [what: string, change: Partial<ModelSpec>])[] = [
    ['a model with indexes', {}],
    ['a group of 200 characters', { group: `${label}.${label}.${label}.${'a'.repeat(8)}` }],
    ['a group that only resembles a reserved one', { group: 'notplatform.run' }],
    ['a group with dashes and digits', { group: '1-a.example' }],
    ['a kind of one letter', { kind: 'A' }],
    ['a kind of 63', { kind: `A${'b'.repeat(62)}` }],
    ['a plural of 63', { plural: `a${'1'.repeat(62)}` }],
    ...['v1', 'v10', 'v2beta1', 'v1alpha12'].map((name) => [`the version ${name}`, versionOf(name)] as const),
    ['32 indexes', manyFields(32, text)],
    ['8 indexes of several values', manyFields(8, tags)],
    [
      'a display',
      { display: { title: 'spec.city', summary: 'spec.tags', icon: 'box', columns: ['spec.age', 'metadata.name'] } },
    ],
    ['a display by the name', { display: { title: 'metadata.name', summary: 'metadata.creationTimestamp' } }],
    [
      'composites of indexes, with and without a direction',
      {
        composites: [
          ['spec.city', 'age desc'],
          ['age ASC', 'spec.city'],
        ],
      },
    ],
  ]
  for (const [what, change] of cases) {
    test(what, () => expect(definitionErrors({ ...sound, ...change })).toEqual([]))
  }
})

test('the host may use a reserved group', () => {
  expect(definitionErrors({ ...sound, group: 'content.platform.run' }, { byHost: true })).toEqual([])
})

type Row = readonly [what: string, change: Partial<ModelSpec>, pointer: string, message?: string]

const wrongWords: readonly Row[] = [
  ['a group without a dot', { group: 'example' }, '/spec/group', 'must be a domain name'],
  ['a group of 201 characters', { group: `${label}.${label}.${label}.${'a'.repeat(9)}` }, '/spec/group'],
  ['a group with a long label', { group: `${label}a.example` }, '/spec/group'],
  ...['Example.com', 'a..b', '.a.b', 'a.b.', '-a.b', 'a-.b', 'a_b.c', 'a/b.c', ''].map((group): Row => [
    `the group "${group}"`,
    { group },
    '/spec/group',
  ]),
  ['a group of the host', { group: 'platform.run' }, '/spec/group', 'is reserved for the host'],
  ['a group below one of the host', { group: 'x.plugin.platform.run' }, '/spec/group', 'is reserved for the host'],
  ...['thing', '1Thing', 'Thing-a', 'Thing.a', '', `A${'b'.repeat(63)}`].map((kind): Row => [
    `the kind "${kind}"`,
    { kind },
    '/spec/kind',
  ]),
  ...['Thing', '1thing', 'thing-a', 'thing.a', 'thing/a', '', `a${'b'.repeat(63)}`].flatMap((name): readonly Row[] => [
    [`the singular "${name}"`, { singular: name }, '/spec/singular'],
    [`the plural "${name}"`, { plural: name }, '/spec/plural'],
  ]),
  ...['1', 'v0', 'v01', 'v1alpha', 'v1alpha0', 'v1gamma1', 'V1', 'v1beta1alpha1', ''].map((name): Row => [
    `the version "${name}"`,
    versionOf(name),
    '/spec/versions/0/name',
  ]),
  ['no version', { versions: [] }, '/spec/versions', 'has 0 versions; a model has exactly one'],
  ['two versions', { versions: [...sound.versions, ...sound.versions] }, '/spec/versions', 'has 2 versions'],
  ['metadata', schemaOf({ properties: { metadata: {} } }), '/spec/versions/0/schema/properties/metadata'],
  ['a field beside spec and status', schemaOf({ properties: { data: {} } }), '/spec/versions/0/schema/properties/data'],
  [
    'a forbidden keyword in a schema',
    schemaOf({ properties: { spec: { $id: 'x' } } }),
    '/spec/versions/0/schema/properties/spec/$id',
  ],
]

const wrongDisplays: readonly Row[] = [
  [
    'a title that is missing',
    { display: { title: 'spec.titel' } },
    '/spec/display/title',
    '"spec.titel" is not in the',
  ],
  ['a title that is a number', { display: { title: 'spec.age' } }, '/spec/display/title', 'the path of a string'],
  ['a title of several values', { display: { title: 'spec.tags' } }, '/spec/display/title', 'the path of a string'],
  ['a summary that is an object', { display: { summary: 'spec' } }, '/spec/display/summary', 'must be the path of a'],
  [
    'a column that is missing',
    { display: { columns: ['spec.city', 'spec.x'] } },
    '/spec/display/columns/1',
    '"spec.x" is not in the schema',
  ],
  ['a column twice', { display: { columns: ['spec.age', 'spec.age'] } }, '/spec/display/columns/1', 'is listed twice'],
  [
    'an unknown icon',
    { display: { icon: 'wallett' as 'wallet' } },
    '/spec/display/icon',
    '"wallett" is not an icon of the console; did you mean wallet?',
  ],
]

const wrongIndexes: readonly Row[] = [
  ...['metadata.name', 'metadata.labels', 'metadata.creationTimestamp', 'metadata.deletionTimestamp'].flatMap(
    (name): readonly Row[] => [
      [`an index called ${name}`, { indexes: [{ name }] }, '/spec/indexes/0/name', 'is an index of every model'],
      [`an index on ${name}`, { indexes: [{ name: 'x', path: name }] }, '/spec/indexes/0/path', 'every model'],
    ],
  ),
  [
    'an index twice',
    { indexes: [{ name: 'spec.city' }, { name: 'spec.city', path: 'spec.age' }] },
    '/spec/indexes/1/name',
    'is declared twice',
  ],
  ...['a b', 'a=b', 'a!', 'a<b', 'a>b', 'a^b', 'a,b', 'a(b', 'a)b', 'a\\b', ''].map((name): Row => [
    `an index called "${name}"`,
    { indexes: [{ name, path: 'spec.city' }] },
    '/spec/indexes/0/name',
  ]),
  ['an index on nothing', { indexes: [{ name: 'spec.x' }] }, '/spec/indexes/0/name', 'spec.x is not in the schema'],
  ['33 indexes', manyFields(33, text), '/spec/indexes', 'has 33 indexes; at most 32'],
  ['9 of several values', manyFields(9, tags), '/spec/indexes', 'has 9 indexes of several values; at most 8'],
  ['a composite of one', { composites: [['spec.city']] }, '/spec/composites/0', 'must name two'],
  ['a composite of unknown', { composites: [['spec.city', 'spec.age']] }, '/spec/composites/0/1', 'names no index'],
  ['a composite of several values', { composites: [['spec.tags', 'age']] }, '/spec/composites/0/0', 'several values'],
  ['a composite of no direction', { composites: [['age', 'spec.city up']] }, '/spec/composites/0/1', '<index> asc'],
  ['a composite of two directions', { composites: [['age', 'spec.city asc desc']] }, '/spec/composites/0/1', '<index>'],
]

describe('rejects', () => {
  for (const [what, change, pointer, message = ''] of [...wrongWords, ...wrongIndexes, ...wrongDisplays]) {
    test(what, () => {
      const errors = definitionErrors({ ...sound, ...change })
      expect(errors.map((error) => error.pointer)).toEqual([pointer])
      expect(errors[0]?.message).toContain(message)
    })
  }

  test('all names at once, before the indexes are checked', () => {
    const wrong = { ...sound, group: 'x', kind: 'x', singular: 'X', plural: 'X', indexes: [{ name: 'gone' }] }
    expect(definitionErrors(wrong).map(({ pointer }) => pointer)).toEqual([
      '/spec/group',
      '/spec/kind',
      '/spec/singular',
      '/spec/plural',
    ])
  })
})
