import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ThingParts } from './collection.ts'
import { expectProblem } from './request.ts'
import { onEachEngine, once } from './server.ts'

/** In the order of creation. Sorting the values as text gives another order than sorting by value. */
const people: readonly (ThingParts & { readonly name: string })[] = [
  { name: 's1', spec: { city: 'Rome', age: 5, rank: 10, weight: 2, active: true, seen: '2024-01-01T00:30:00.5Z' } },
  { name: 's2', spec: { city: 'Oslo', age: 5, rank: 9, weight: -1.5, active: false, seen: '2023-12-31T23:00:00Z' } },
  { name: 's3', spec: { city: 'Rome' } },
  {
    name: 's4',
    spec: { city: 'Oslo', age: 100, rank: -2, weight: 10, active: true, seen: '2024-01-01T00:00:00+02:00' },
  },
  {
    name: 's5',
    spec: { city: 'Rome', age: 20, rank: -10, weight: 2.5, active: false, seen: '2023-12-31T20:00:00-04:00' },
  },
]

onEachEngine((api) => {
  const seeded = once(async () => {
    const models = await api.model()
    for (const person of people) await models.created(person)
    return models
  })
  const sorted = async (...sort: readonly string[]) => (await seeded()).names({ sort })

  const rows: readonly (readonly [numbers: string, what: string, sort: readonly string[], names: string])[] = [
    ['S4.1-9 C4-25', 'integers by value', ['spec.rank,asc'], 's3 s5 s4 s2 s1'],
    ['S4.1-9 C4-25', 'integers by value, descending', ['spec.rank,desc'], 's1 s2 s4 s5 s3'],
    ['C4-25 C3-34', 'numbers by value, no value first', ['spec.weight,asc'], 's3 s2 s1 s5 s4'],
    ['C4-26', 'booleans, false first', ['spec.active,asc', 'spec.rank,asc'], 's3 s5 s2 s4 s1'],
    ['C4-27', 'timestamps by instant', ['spec.seen,asc'], 's3 s4 s2 s5 s1'],
    ['C3-33', 'equal values in the order of creation', ['spec.age,asc'], 's3 s1 s2 s5 s4'],
    ['C3-33', 'many equal values in the order of creation', ['spec.city,asc'], 's2 s4 s1 s3 s5'],
    ['C3-35', 'no value last, descending', ['spec.weight,desc'], 's4 s5 s1 s2 s3'],
    ['C3-36', 'by the order of the index, descending', ['spec.age', 'spec.rank,asc'], 's4 s5 s2 s1 s3'],
    ['C3-36 S2.7-3', 'by the default order of an index', ['spec.rank'], 's3 s5 s4 s2 s1'],
    ['C3-37', 'an uppercase direction', ['spec.rank,DESC'], 's1 s2 s4 s5 s3'],
    ['C3-37', 'a direction in mixed case', ['spec.rank,Asc'], 's3 s5 s4 s2 s1'],
    ['S4.1-10', 'one field, then another', ['spec.city,desc', 'spec.rank,asc'], 's3 s5 s1 s4 s2'],
    ['S4.1-11', 'newest first without a sort parameter', [], 's5 s4 s3 s2 s1'],
    ['S2.7-6', 'by name', ['metadata.name,desc'], 's5 s4 s3 s2 s1'],
    ['S2.7-8', 'by creation time', ['metadata.creationTimestamp,asc'], 's1 s2 s3 s4 s5'],
  ]
  for (const [numbers, what, sort, names] of rows) {
    test(`${numbers} sorted: ${what}`, async () => {
      expect(await sorted(...sort)).toEqual(names.split(' '))
    })
  }

  test('S2.7-8 creation times are compared to the millisecond', async () => {
    const models = await api.model()
    const first = await models.created({ name: 'first' })
    await sleep(5)
    await models.created({ name: 'second' })
    const { creationTimestamp } = first.metadata
    const selected = (sign: string) =>
      models.names({ fieldSelector: `metadata.creationTimestamp${sign}${creationTimestamp}` })
    expect(await selected('=')).toEqual(['first'])
    expect(await selected('<=')).toEqual(['first'])
    expect(await selected('<')).toEqual([])
    expect(await selected('>=')).toEqual(['second', 'first'])
    expect(await selected('>')).toEqual(['second'])
    expect(await selected('!=')).toEqual(['second'])
  })

  test('C4-27 fractions of a second sort by value, whatever their number of digits', async () => {
    const models = await api.model()
    const fractions = ['.5', '', '.25', '.1250', '.123456789']
    for (const fraction of fractions) await models.created({ spec: { seen: `2024-01-01T00:00:00${fraction}Z` } })
    const { items } = await models.listed({ sort: 'spec.seen,asc' })
    const inOrder = ['', '.123456789', '.1250', '.25', '.5'].map((fraction) => `2024-01-01T00:00:00${fraction}Z`)
    expect(items.map(({ spec }) => spec['seen'])).toEqual(inOrder)
  })

  test('S2.7-9 objects can be sorted and selected by deletion time', async () => {
    const models = await api.model()
    const finalizers = ['a.example/b']
    const live = await models.created()
    const first = await models.created({ metadata: { finalizers } })
    const second = await models.created({ metadata: { finalizers } })
    const [a, b, c] = [live, first, second].map(({ metadata }) => metadata.name)
    await models.delete(String(c))
    await sleep(5)
    await models.delete(String(b))
    expect(await models.names({ sort: 'metadata.deletionTimestamp,asc' })).toEqual([a, c, b])
    expect(await models.names({ sort: 'metadata.deletionTimestamp,desc' })).toEqual([b, c, a])
    expect(await models.names({ fieldSelector: '!metadata.deletionTimestamp' })).toEqual([a])
    expect(await models.names({ fieldSelector: 'metadata.deletionTimestamp' })).toHaveLength(2)
  })

  test('C3-38 sorting by a multi-value index is 400', async () => {
    const models = await seeded()
    expect((await models.send('GET', { sort: 'spec.tags,asc' })).status).toBe(400)
  })

  test('C3-39 sorting by labels is 400', async () => {
    const models = await seeded()
    expect((await models.send('GET', { sort: 'metadata.labels,asc' })).status).toBe(400)
  })

  test('S2.7-12 sorting by a field that is not indexed is 400, also as a second sort field', async () => {
    const models = await seeded()
    expectProblem(await models.send('GET', { sort: 'spec.note,asc' }), 400, 'FieldNotIndexed')
    expectProblem(await models.send('GET', { sort: ['spec.city,asc', 'spec.note,asc'] }), 400, 'FieldNotIndexed')
  })
})
