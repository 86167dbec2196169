import { describe, expect, test } from 'vitest'
import type { Query, ThingParts } from './collection.ts'
import { expectProblem } from './request.ts'
import { onEachEngine, once } from './server.ts'

const awkward = String.raw`a=b!c<d>e^f(g)h\i`

const objects: readonly (ThingParts & { readonly name: string })[] = [
  { name: 'a', metadata: { labels: { team: 'red', 'x.example/tier': '' } }, spec: { age: 9, tags: ['x', 'y'] } },
  { name: 'b', metadata: { labels: { team: 'blue' } }, spec: { city: 'Oslo', age: 10, tags: ['y'] } },
  { name: 'c' },
  { name: 'd', metadata: { labels: { team: 'red', zone: '1' } }, spec: { city: 'Ro,me', age: 100, tags: ['x'] } },
  { name: 'e', metadata: { labels: { team: 'green' } }, spec: { city: 'New York', age: 20 } },
  { name: 'f', spec: { city: '', age: 0, tags: ['z'] } },
  { name: 'h', metadata: { labels: { 'x.example/words': 'a b/c, (d)=e' } }, spec: { city: ' Bern ' } },
  { name: 'g', spec: { city: awkward, tags: ['p)q', 'k=v!w'], scores: [9, 10] } },
]

type Selected = readonly [numbers: string, selector: string, names: string]

const byLabel: readonly Selected[] = [
  ['S4.1-13 S2.7-7', 'team=red', 'a d'],
  ['S4.1-14', 'team!=red', 'b c e f g h'],
  ['S4.1-15', '!team', 'c f g h'],
  ['S4.1-16', 'team', 'a b d e'],
  ['C3-50', 'x.example/tier=', 'a'],
  ['C3-60', 'team=(red,blue)', 'a b d'],
  ['C3-61', 'team!=(red,blue)', 'c e f g h'],
  ['C3-41', 'team=red,zone', 'd'],
  ['C3-41', 'team,!zone,team!=blue', 'a e'],
  ['C3-45', 'team=(red),zone=1', 'd'],
  ['C3-48', '  team=red , zone=1 ', 'd'],
  ['C2-73', String.raw`x.example/words=a b/c\, (d)=e`, 'h'],
  ['C2-73', String.raw`x.example/words=(x,a b/c\, (d\)=e)`, 'h'],
]

const byField: readonly Selected[] = [
  ['S4.1-17', 'spec.city=Rome', 'a c'],
  ['S4.1-18', 'spec.city!=Rome', 'b d e f g h'],
  ['S4.1-18', 'spec.age!=9', 'b c d e f g h'],
  ['S4.1-19', 'spec.city=(Rome,Oslo)', 'a b c'],
  ['C3-62', 'spec.age!=(9,10)', 'c d e f g h'],
  ['C3-58', 'spec.age', 'a b d e f'],
  ['C3-59', '!spec.age', 'c g h'],
  ['C3-63', 'spec.age>10', 'd e'],
  ['C3-64', 'spec.age>=10', 'b d e'],
  ['C3-65', 'spec.age<10', 'a f'],
  ['C3-66', 'spec.age<=10', 'a b f'],
  ['C3-67', 'spec.city^=Ro', 'a c d'],
  ['C3-67', 'spec.city^=Rome', 'a c'],
  ['C3-69 C4-28', 'spec.tags=x', 'a d'],
  ['C3-69', 'spec.tags=(x,z)', 'a d f'],
  ['C3-69', 'spec.tags=(x,y)', 'a b d'],
  ['C3-69', 'spec.tags=(x,y),spec.city', 'a b d'],
  ['C3-69', 'spec.scores>5', 'g'],
  ['C3-69 C4-28', 'spec.scores=10', 'g'],
  ['C3-70', 'spec.tags!=y', 'c d e f g h'],
  ['C3-41', 'spec.city=Rome,spec.age>5', 'a'],
  ['C3-43', 'spec.tags=k=v!w', 'g'],
  ['C3-44', String.raw`spec.city=Ro\,me`, 'd'],
  ['C3-45', String.raw`spec.tags=(p\)q)`, 'g'],
  ['C3-45', 'spec.tags=(x,y),spec.city=Rome', 'a'],
  ['C3-46', String.raw`spec.city=a\=b\!c\<d\>e\^f\(g\)h\\i`, 'g'],
  ['C3-48', ' spec.city=Rome , spec.age ', 'a'],
  ['C3-49', 'spec.city=New York', 'e'],
  ['C3-50', 'spec.city=', 'f'],
  ['C3-451', String.raw`spec.city=\ Bern\ `, 'h'],
  ['C3-451', String.raw`spec.city=(Oslo,\ Bern\ )`, 'b h'],
  ['S2.7-6', 'metadata.name=(a,c,nobody)', 'a c'],
  ['S2.7-8', 'metadata.creationTimestamp>2020-01-01T00:00:00Z', 'a b c d e f g h'],
]

const both: readonly (readonly [numbers: string, query: Query, names: string])[] = [
  ['C3-40', { labelSelector: ['team=red', 'zone=1'] }, 'd'],
  ['C3-40', { labelSelector: ['zone=1', 'team=red'] }, 'd'],
  ['C3-40', { fieldSelector: ['spec.city=Rome', 'spec.age=9'] }, 'a'],
  ['C3-40', { fieldSelector: ['spec.age=9', 'spec.city=Rome'] }, 'a'],
  ['S4.1-21', { labelSelector: 'team=red', fieldSelector: 'spec.city=Rome' }, 'a'],
  ['S4.1-21', { labelSelector: 'team', sort: 'metadata.name,asc', page: '2', size: '3' }, 'e'],
]

type Refused = readonly [numbers: string, parameter: string, selector: string, hint?: RegExp]

const refused: readonly Refused[] = [
  ['C3-47', 'fieldSelector', String.raw`spec.city=a\b`],
  ['C3-47', 'labelSelector', String.raw`team=re\d`],
  ['C3-47', 'fieldSelector', 'spec.city=a\\'],
  ['C3-51', 'fieldSelector', 'spec.city=()', /\(|set|empty|!/],
  ['C3-51', 'labelSelector', 'team=()', /\(|set|empty|!/],
  ['C3-52', 'fieldSelector', 'spec.city==Rome', /=/],
  ['C3-52', 'labelSelector', 'team==red', /=/],
  ['C3-53', 'fieldSelector', 'spec.age=old'],
  ['C3-53', 'fieldSelector', 'spec.age='],
  ['C3-53', 'fieldSelector', 'spec.age=0x9'],
  ['C3-53', 'fieldSelector', 'spec.age=(9,x)'],
  ['C3-53', 'fieldSelector', 'spec.active=maybe'],
  ['C3-53', 'fieldSelector', 'spec.seen>yesterday'],
  ['C3-451', 'fieldSelector', 'spec.city = Rome', /space before "="/],
  ['C3-451', 'fieldSelector', 'spec.city= Rome', /space behind the operator/],
  ['C3-451', 'fieldSelector', 'spec.age> 9', /space behind the operator/],
  ['C3-451', 'labelSelector', 'team=(red, blue)', /spaces around the value/],
  ['C3-451', 'labelSelector', 'team =red', /space before "="/],
  ['C3-55', 'labelSelector', '=red'],
  ['C3-55', 'labelSelector', 'team=red,!'],
  ['C3-55', 'labelSelector', 'team=red,=x'],
  ['C3-55', 'labelSelector', 'team=(red'],
  ['C3-55', 'fieldSelector', 'spec.city=Rome,>3'],
  ['C3-55', 'fieldSelector', 'spec.city^Ro'],
  ['C3-55', 'fieldSelector', '!spec.city=Rome'],
  ...['>', '>=', '<', '<=', '^='].map((sign): Refused => ['C3-68', 'labelSelector', `team${sign}a`]),
]

const notIndexed: readonly Refused[] = [
  ['C3-71', 'fieldSelector', 'spec.note=x', /spec\.note/],
  ['C3-71', 'fieldSelector', 'spec.city=Rome,!spec.note', /spec\.note/],
  ['C3-44', 'fieldSelector', 'spec.city=Ro,me', /\bme\b/],
  ['C3-72', 'fieldSelector', 'metadata.labels=red', /metadata\.labels/],
  ['S2.3-14', 'fieldSelector', 'metadata.annotations=x', /metadata\.annotations/],
]

onEachEngine((api) => {
  const seeded = once(async () => {
    const models = await api.model()
    for (const object of objects) await models.created(object)
    return models
  })
  const selected = async (query: Query) => (await (await seeded()).names(query)).toSorted().join(' ')

  describe('labels', () => {
    for (const [numbers, labelSelector, names] of byLabel) {
      test(`${numbers} "${labelSelector}" selects ${names}`, async () => {
        expect(await selected({ labelSelector })).toBe(names)
      })
    }
  })

  describe('fields', () => {
    for (const [numbers, fieldSelector, names] of byField) {
      test(`${numbers} "${fieldSelector}" selects ${names}`, async () => {
        expect(await selected({ fieldSelector })).toBe(names)
      })
    }
  })

  for (const [numbers, query, names] of both) {
    test(`${numbers} ${JSON.stringify(query)} selects ${names}`, async () => {
      expect(await selected(query)).toBe(names)
    })
  }

  for (const [numbers, parameter, selector, hint = /./] of refused) {
    test(`${numbers} C5-9 ${parameter} "${selector}" is 400 InvalidSelector`, async () => {
      const answer = await (await seeded()).send('GET', { [parameter]: selector })
      expectProblem(answer, 400, 'InvalidSelector')
      expect(answer.body).toMatchObject({ detail: expect.stringMatching(hint) as string })
    })
  }

  for (const [numbers, parameter, selector, named = /./] of notIndexed) {
    test(`${numbers} ${parameter} "${selector}" is 400 FieldNotIndexed, with the indexed fields`, async () => {
      const answer = await (await seeded()).send('GET', { [parameter]: selector })
      expectProblem(answer, 400, 'FieldNotIndexed')
      expect(answer.text).toMatch(named)
      for (const index of ['metadata.name', 'spec.city', 'spec.age', 'spec.tags']) expect(answer.text).toContain(index)
    })
  }

  test('C3-54 an error contains its position in the selector', async () => {
    const models = await seeded()
    const rows: readonly (readonly [parameter: string, selector: string, position: number])[] = [
      ['labelSelector', 'zone==x', 5],
      ['labelSelector', 'team=red,zone==x', 14],
      ['labelSelector', String.raw`team=re\d`, 8],
      ['fieldSelector', 'spec.age=old', 10],
    ]
    for (const [parameter, selector, position] of rows) {
      const answer = await models.send('GET', { [parameter]: selector })
      expect(answer.body, selector).toMatchObject({ errors: [{ params: { position } }] })
      expect((answer.body as { detail: string }).detail).toMatch(new RegExp(String.raw`\b${position}\b`))
    }
  })
})
