import { describe, expect, test } from 'vitest'
import { relatedOf, relatedQuery } from './related.ts'

const object = (name: string) => ({ apiVersion: 'v1', kind: 'X', metadata: { name } }) as never
const expanded = { 'halls.a.example': { a: object('hall a'), b: object('hall b') }, users: { a: object('user a') } }
const references = { 'spec.hall': 'halls.a.example', 'spec.stops[].halls': 'halls.a.example', 'spec.host': 'users' }
const item = {
  spec: { hall: 'a', host: 'a', gone: 'x', others: ['b', 'x'], stops: [{ halls: 'b' }, {}, { halls: 'a' }] },
}

describe('related', () => {
  const page = relatedOf({ expanded }, references)
  const one = relatedOf({ expanded: { 'halls.a.example': expanded['halls.a.example'] } })
  test.each([
    ['of the model of the path', page.related(item, 'spec.hall'), object('hall a')],
    ['of another model', page.related(item, 'spec.host'), object('user a')],
    ['of the items of an array', page.related(item, 'spec.stops[].halls'), [object('hall b'), object('hall a')]],
    ['of the only model', one.related(item, 'spec.hall'), object('hall a')],
    ['of several names', one.related(item, 'spec.others'), [object('hall b')]],
    ['of a missing object', one.related(item, 'spec.gone'), undefined],
    ['of no value', one.related(item, 'spec.a.b'), undefined],
    ['of a page without expand', relatedOf({}).related(item, 'spec.hall'), undefined],
  ])('%s', (_what, found, expected) => expect(found).toEqual(expected))

  test('throws where several models could be meant', () =>
    expect(() => relatedOf({ expanded }).related(item, 'spec.hall')).toThrow('one model at a time'))
})

test('referrers are asked for and read by model and path', () => {
  const of = { group: 'a.example', version: 'v1', plural: 'events' }
  expect(
    relatedQuery({
      referrers: [
        [of, 'spec.hall'],
        [{ ...of, group: '' }, 'spec.a'],
      ],
    }).referrers,
  ).toEqual(['events.a.example/spec.hall', 'events/spec.a'])
  const { referrers } = relatedOf({ referrers: { 'events.a.example/spec.hall': { a: 2, b: 0 } } })
  expect([referrers(of, 'spec.hall', 'a'), referrers(of, 'spec.hall', 'b')]).toEqual([2, 0])
  expect([referrers(of, 'spec.hall', 'c'), referrers(of, 'spec.host', 'a')]).toEqual([undefined, undefined])
})
