import { expect, test } from 'vitest'
import { differences, withYours } from './merge.ts'

const read = {
  spec: { title: 'a', tags: ['x'], owner: 'ann' },
  metadata: { labels: { 'team.example.com/area': 'one' } },
}
const yours = { spec: { title: 'b', tags: ['x', 'y'], owner: 'ann' }, metadata: { labels: {} } }
const theirs = {
  spec: { title: 'c', tags: ['x'], owner: 'bob', due: '2036-12-01' },
  metadata: { labels: { 'team.example.com/area': 'one' } },
}

test('differences are the fields that differ, with who changed them', () => {
  const found = differences({ read, yours, theirs })
  expect(found.map(({ field, changedBy }) => [field, changedBy])).toEqual([
    ['spec.title', 'both'],
    ['spec.tags', 'you'],
    ['spec.owner', 'them'],
    ['spec.due', 'them'],
    ['metadata.labels.team.example.com/area', 'you'],
  ])
})

test('the result is theirs, with the chosen fields as they are in yours', () => {
  const found = differences({ read, yours, theirs })
  expect(withYours(theirs, [])).toEqual(theirs)
  expect(withYours(theirs, found)).toEqual(yours)
  // Removing a field works even if its name contains dots.
  expect(
    withYours(
      theirs,
      found.filter(({ changedBy }) => changedBy !== 'them'),
    ),
  ).toEqual({
    spec: { title: 'b', tags: ['x', 'y'], owner: 'bob', due: '2036-12-01' },
    metadata: { labels: {} },
  })
})
