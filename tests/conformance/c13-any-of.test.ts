import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packedSource } from '../end-to-end/packed-source.ts'
import type { List, Query } from './collection.ts'
import { person, type Person } from './people.ts'
import { expectProblem, expectStatus } from './request.ts'
import { installPackage, phaseIs } from './plugin.ts'
import { onEachEngine, once } from './server.ts'
import { transports } from './watching.ts'

const ownBadges = '/apis/uc.api.hall.example.com/v1/badges'
const packed = once(() => packedSource(join(import.meta.dirname, 'plugins/hall.ts')))
/** Eight alternatives that select all of them have more than 10,000 candidates. */
const count = 1_400
const seed = Number(process.env['SEED'] ?? 13)
const cities = ['Rome', 'Oslo', 'Bern', 'Lima']

const objects = fc
  .sample(
    fc.record(
      {
        city: fc.constantFrom(...cities),
        age: fc.integer({ min: 0, max: 200 }),
        active: fc.boolean(),
        tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 }),
      },
      { requiredKeys: ['city'] },
    ),
    { numRuns: count, seed },
  )
  .map((spec, at) => ({ metadata: { name: `o-${at}`, labels: { team: at % 3 === 0 ? 'red' : 'blue' } }, spec }))

const positive = fc.oneof(
  fc.integer({ min: 0, max: count }).map((at) => `metadata.name=(o-${at},o-${at + 1})`),
  fc.integer({ min: 0, max: 200 }).map((age) => `spec.age=${age}`),
  fc.integer({ min: 0, max: 200 }).map((age) => `spec.age>${age}`),
  fc.constantFrom('spec.city=Rome', 'spec.city=(Oslo,Bern)', 'spec.city^=L', 'spec.active=true', 'spec.active'),
  fc.constantFrom('spec.tags=a', 'spec.tags=(b,c)', 'spec.tags', 'metadata.creationTimestamp>2020-01-01T00:00:00Z'),
)
const negative = fc.constantFrom('spec.city!=Rome', '!spec.age', 'spec.tags!=(a,b)', '!spec.active', '!spec.tags')
const alternative = fc
  .tuple(positive, fc.array(fc.oneof(positive, negative), { maxLength: 3 }))
  .map(([first, others]) => [first, ...others].join())
const question = fc.record({
  anyOf: fc.array(alternative, { minLength: 1, maxLength: 8 }),
  fieldSelector: fc.oneof(positive, negative, fc.constant(undefined)),
  labelSelector: fc.constantFrom('team=red', 'team!=red', undefined),
  sort: fc.constantFrom('spec.age,desc', 'spec.city,asc', undefined),
})

onEachEngine((api) => {
  const people = once(async () => {
    const models = await api.model()
    await api.fill(models, objects)
    return models
  })
  const namesIn = ({ items }: List) => items.map(({ metadata }) => metadata.name)

  test('C13-3 C13-4 a list with anyOf is the union of the lists of its alternatives, whole and page by page', async () => {
    const models = await people()
    for (const { anyOf, fieldSelector, labelSelector, sort } of fc.sample(question, { numRuns: 40, seed })) {
      const beside: Query = { ...(labelSelector && { labelSelector }), ...(sort && { sort }) }
      const union = new Set<string>()
      for (const one of anyOf) {
        const names = await models.names({ ...beside, fieldSelector: [one, ...(fieldSelector ? [fieldSelector] : [])] })
        for (const name of names) union.add(name)
      }
      const query: Query = { ...beside, ...(fieldSelector && { fieldSelector }), anyOf }
      const asked = JSON.stringify(query)
      const whole = namesIn(await models.listed(query))
      expect(whole.toSorted(), asked).toEqual([...union].toSorted())
      const size = Math.max(1, Math.ceil(whole.length / 3))
      let page = await models.listed({ ...query, size: `${size}` })
      const paged = namesIn(page)
      for (; page.continue !== undefined; paged.push(...namesIn(page))) {
        expect(page, asked).toMatchObject({ total: whole.length, totalIsEstimate: false })
        page = await models.listed({ continue: page.continue })
      }
      expect(paged, asked).toEqual(whole)
    }
  })

  test('C13-4 alternatives with many candidates together select and count the same', async () => {
    const models = await people()
    const anyOf = Array.from({ length: 8 }, (_, at) => `spec.city=(${cities.join()}),metadata.name!=o-${at}`)
    for (const sort of ['metadata.name,asc', 'spec.age,desc']) {
      const page = await models.listed({ anyOf, sort, size: '100', page: '3' })
      expect(page).toMatchObject({ total: count, totalIsEstimate: false, hasNext: true })
      expect(namesIn(page)).toEqual(await models.names({ sort, size: '100', page: '3' }))
      const rare = await models.listed({
        anyOf,
        sort,
        labelSelector: 'team',
        fieldSelector: 'metadata.name=(o-3,none)',
      })
      expect(rare).toMatchObject({ total: 1, items: [{ metadata: { name: 'o-3' } }] })
    }
  })

  describe.each(transports)('%s', (transport) => {
    test('C13-5 an object that begins or ceases to match one of anyOf arrives as ADDED or DELETED', async () => {
      const models = await api.model()
      await models.created({ name: 'first', spec: { city: 'Lima', rank: 7 } })
      const query = `anyOf=spec.city%3DRome,spec.rank%3E1&anyOf=spec.tags%3Dvip&fieldSelector=spec.active%3Dtrue`
      using watching = await api.watch(`${models.path}?${query}`, { transport })
      using present = await api.watch(`${models.path}?initial=true&anyOf=spec.rank%3D7`, { transport })
      const patch = async (spec: object) => expectStatus(await models.patch('a', { spec }), 200)
      await models.created({ name: 'a', spec: { city: 'Rome', rank: 1, active: true } })
      await models.created({ name: 'b', spec: { city: 'Rome', rank: 2, active: false } })
      await patch({ rank: 2 })
      await patch({ city: 'Oslo', tags: ['x', 'vip'] })
      await patch({ tags: ['x'] })
      await patch({ tags: ['vip'] })
      await patch({ active: false })
      await models.created({ name: 'c', spec: { tags: ['vip'], active: true } })
      const expected = ['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a', 'DELETED a', 'ADDED c']
      expect(await watching.until(expected.length)).toEqual(expected)
      expect(await present.until(1)).toEqual(['ADDED first'])
    })
  })

  test('C13-6 what is no alternative is 400 and says what to do, in lists and watches', async () => {
    const models = await api.model()
    const terms = (length: number) => Array.from({ length }, (_, at) => `spec.rank!=${at}`).join()
    const cases: readonly (readonly [string | readonly string[], reason: string, message: string])[] = [
      [
        Array.from({ length: 9 }, () => 'spec.city'),
        'InvalidSelector',
        'anyOf is given 9 times; at most 8 are allowed',
      ],
      [`spec.city,${terms(4)}`, 'InvalidSelector', 'has 5 terms; at most 4 are allowed'],
      ['spec.city!=Rome', 'InvalidSelector', 'anyOf "spec.city!=Rome" has only negative terms'],
      [['spec.city=Rome', '!spec.city,spec.tags!=(a,b)'], 'InvalidSelector', 'add a positive one'],
      ['team=red', 'FieldNotIndexed', 'anyOf, character 1: "team" is not indexed'],
      ['metadata.labels=red', 'FieldNotIndexed', 'labels are selected by labelSelector'],
      ['spec.note=x', 'FieldNotIndexed', '"spec.note" is not indexed'],
      ['spec.city=Rome,spec.rank=x', 'InvalidSelector', 'anyOf, character 26: "x" is not a number'],
      ['', 'InvalidSelector', 'anyOf, character 1: the selector is empty'],
      ['spec.city=a\0', 'InvalidSelector', 'anyOf contains a NUL character'],
    ]
    for (const [anyOf, reason, message] of cases) {
      for (const headers of [{}, { accept: 'text/event-stream' }]) {
        const answer = await models.send('GET', { anyOf }, { headers })
        expectProblem(answer, 400, reason)
        expect(answer.body).toMatchObject({ detail: expect.stringContaining(message) as string })
      }
    }
    const most = Array.from({ length: 8 }, () => `spec.city,${terms(3)}`)
    expectStatus(await models.send('GET', { anyOf: most }), 200)
    expectProblem(await models.send('GET', { anyOf: most, fieldSelector: terms(69) }), 400, 'InvalidSelector')
    expectStatus(await models.send('GET', { anyOf: most, fieldSelector: terms(68) }), 200)
  })

  test('C13-7 at the address of an owner or of one object, anyOf selects only among what is served there', async () => {
    expectStatus(await installPackage(api, await packed()), 201)
    await phaseIs(api, { phase: 'Started' }, 'hall')
    const [ann, bob] = [await person(api, { roles: ['hall-attend'] }), await person(api, { roles: ['hall-attend'] })]
    const badgeOf = async (owner: Person) => {
      const name = `of-${owner.name}`
      expectStatus(await owner.request('POST', ownBadges, { body: { metadata: { name }, spec: {} } }), 201)
      return name
    }
    const [own, other] = [await badgeOf(ann), await badgeOf(bob)]
    for (const term of [`spec.owner=${bob.name}`, `metadata.name=(${own},${other})`, 'spec.owner']) {
      const query = `anyOf=${encodeURIComponent(term)}&anyOf=metadata.name`
      const answer = await ann.request('GET', `${ownBadges}?${query}&exactTotal=true`)
      expectStatus(answer, 200)
      expect([namesIn(answer.body as List), (answer.body as List).total]).toEqual([[own], 1])
      using watching = await api.watch(`${ownBadges}?initial=true&${query}`, { token: ann.token })
      await watching.frame('BOOKMARK')
      expect(watching.lines()).toEqual([`ADDED ${own}`])
    }
    const models = await api.model()
    await models.created({ name: 'one' })
    await models.created({ name: 'two' })
    using watching = await api.watch(`${models.path}/one?initial=true&anyOf=metadata.name&anyOf=metadata.name%3Dtwo`)
    await watching.frame('BOOKMARK')
    expect(watching.lines()).toEqual(['ADDED one'])
  })

  test('C13-8 deletecollection refuses anyOf and deletes nothing', async () => {
    const models = await api.model()
    await models.created({ name: 'one' })
    for (const beside of [{}, { all: 'true' }, { fieldSelector: 'spec.city=Rome' }]) {
      const answer = await models.send('DELETE', { ...beside, anyOf: 'spec.city=Rome' })
      expectProblem(answer, 400, 'BadRequest')
      expect(answer.body).toMatchObject({ detail: expect.stringContaining('"anyOf" is not known') as string })
    }
    expect(await models.names()).toEqual(['one'])
  })
})
