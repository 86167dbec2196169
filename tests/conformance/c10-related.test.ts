import { join } from 'node:path'
import { expect, test } from 'vitest'
import { thing, type Collection, type List, type Query, type StoredThing } from './collection.ts'
import { freshModel, versionsOf, type ModelSpec, type Schema } from './models.ts'
import { core, createRole, expectSoon, person, type Person } from './people.ts'
import { enable, installPackage, phaseIs } from './plugin.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { once, onEachEngine, type Api } from './server.ts'
import { packedSource } from '../end-to-end/packed-source.ts'

const packed = once(() => packedSource(join(import.meta.dirname, 'plugins/hall.ts')))
const text = { type: 'string' }
const to = ({ group, plural }: { group: string; plural: string }) => ({
  type: 'string',
  'x-reference': { group, plural },
})

interface Related extends List {
  readonly expanded?: Readonly<Record<string, Readonly<Record<string, StoredThing>>>>
  readonly expandedIsPartial?: boolean
  readonly referrers?: Readonly<Record<string, Readonly<Record<string, number>>>>
}

const withFields = (fields: Readonly<Record<string, Schema>>, parts: Partial<ModelSpec> = {}) =>
  freshModel({ versions: versionsOf({ city: text, ...fields }), indexes: [], composites: [], ...parts })
const resourceOf = ({ spec: { group, plural } }: Collection) => `${plural}.${group}`
const related = async (of: Collection, query: Query) => (await of.listed({ size: '20', ...query })) as Related
const relatedIn = (answer: Answer) => answer.body as Related
const detailOf = ({ body }: Answer) => (body as { detail: string }).detail

/** Halls of a group of their own, and events that take place in them. */
async function eventsInHalls(api: Api) {
  const halls = await api.model(withFields({ note: text }, { group: 'halls.example.com' }))
  const spec = withFields({})
  const fields = {
    hall: to(halls.spec),
    others: { type: 'array', items: to(halls.spec) },
    host: to({ group: '', plural: 'users' }),
    after: to(spec),
    stops: { type: 'array', items: { type: 'object', properties: { hall: to(halls.spec) } } },
  }
  const events = await api.model({ ...spec, versions: versionsOf({ city: text, ...fields }) })
  return { halls, events }
}

/** Creates objects, 100 in a request. */
async function fill(api: Api, of: Collection, objects: readonly ReturnType<typeof thing>[]): Promise<void> {
  const type = { verb: 'create', apiVersion: `${of.spec.group}/v1alpha1`, resource: of.spec.plural }
  for (let from = 0; from < objects.length; from += 100) {
    const operations = objects.slice(from, from + 100).map((object) => ({ ...type, object }))
    expectStatus(await api.request('POST', '/apis/api.platform.run/v1alpha1/batches', { body: { operations } }), 200)
  }
}

const listing = ({ spec: { group, plural } }: Collection) => ({
  apiGroups: [group],
  resources: [plural],
  verbs: ['list'],
})
const getting = (of: Collection, ...resourceNames: readonly string[]) => ({
  ...listing(of),
  verbs: ['get'],
  ...(resourceNames.length > 0 && { resourceNames }),
})

/** A user with these rules alone, once they have taken effect. */
async function personWith(api: Api, of: Collection, ...rules: readonly object[]): Promise<Person> {
  const ann = await person(api, { roles: [await createRole(api, { rules: [listing(of), ...rules] })] })
  await expectSoon(async () => expectStatus(await ann.request('GET', `${of.path}?size=1`), 200))
  return ann
}

onEachEngine((api) => {
  test('C10-18 a list answers the objects that its references name beside its items, by model and name', async () => {
    const { halls, events } = await eventsInHalls(api)
    for (const name of ['a', 'b', 'c', 'd']) await halls.created({ name })
    const ann = await person(api)
    await events.created({ name: 'e', spec: { hall: 'a', others: ['b', 'a'], host: ann.name } })
    await events.created({ name: 'f', spec: { after: 'e', stops: [{}, { hall: 'c' }] } })
    const paths = ['spec.hall', 'spec.others', 'spec.stops[].hall', 'spec.after']
    const { items, expanded, expandedIsPartial } = await related(events, { expand: paths })
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['f', 'e'])
    expect(items[1]).toEqual(await events.read('e'))
    expect(expanded).toEqual({
      [resourceOf(halls)]: { a: await halls.read('a'), b: await halls.read('b'), c: await halls.read('c') },
      [resourceOf(events)]: { e: await events.read('e') },
    })
    expect(expandedIsPartial).toBeUndefined()
    const users = await related(events, { expand: 'spec.host,spec.hall', fields: 'metadata.name' })
    expect(users.expanded?.['users']?.[ann.name]?.kind).toBe('User')
    expect(Object.keys(users.expanded?.[resourceOf(halls)] ?? {})).toEqual(['a'])
    const none = await related(events, { expand: paths, fieldSelector: 'metadata.name=x' })
    expect(none.expanded).toEqual({ [resourceOf(halls)]: {}, [resourceOf(events)]: {} })
    expect(await related(events, {})).not.toHaveProperty('expanded')
  })

  test('C10-19 expand is 400 with the way out where it cannot be answered', async () => {
    const { events } = await eventsInHalls(api)
    await events.created({ name: 'e' })
    const four = ['spec.hall', 'spec.others', 'spec.host', 'spec.after']
    const cases: readonly (readonly [Query, readonly string[]])[] = [
      [{ size: '20', expand: 'spec.city' }, four],
      [{ size: '20', expand: [...four, 'spec.stops[].hall'] }, ['has 5 values; at most 4']],
      [{ expand: 'spec.hall' }, ['send size=500 or less']],
      [{ size: '501', expand: 'spec.hall' }, ['send size=500 or less']],
    ]
    for (const [query, words] of cases) {
      const answer = await events.send('GET', query)
      expectProblem(answer, 400, 'BadRequest')
      for (const word of words) expect(detailOf(answer)).toContain(word)
    }
    const way = 'a list with fieldSelector=metadata.name=x&size=1'
    const watching = { headers: { accept: 'text/event-stream' } }
    for (const parameter of ['expand=spec.hall', 'referrers=x/y']) {
      for (const answer of [
        await api.request('GET', `${events.path}/e?${parameter}`),
        await api.request('GET', `${events.path}?${parameter}`, watching),
        await api.request('GET', `${events.path}/e?${parameter}`, watching),
        await api.request('DELETE', `${events.path}?all=true&${parameter}`),
      ]) {
        expectProblem(answer, 400, 'BadRequest')
        expect(detailOf(answer)).toContain(way)
      }
    }
  })

  test('C10-20 a page expands up to 1,000 objects and 8 MiB', async () => {
    const { halls, events } = await eventsInHalls(api)
    const names = Array.from({ length: 1_100 }, (_, at) => `h${at}`)
    await fill(
      api,
      halls,
      names.map((name) => thing({ name })),
    )
    const each = Array.from({ length: 11 }, (_, at) => names.slice(at * 100, at * 100 + 100))
    for (const others of each) await events.created({ spec: { others } })
    const many = await related(events, { expand: 'spec.others' })
    expect(Object.keys(many.expanded?.[resourceOf(halls)] ?? {})).toHaveLength(1_000)
    expect(many.expandedIsPartial).toBe(true)

    const large = Array.from({ length: 10 }, (_, at) => `large${at}`)
    for (const name of large) await halls.created({ name, spec: { note: 'x'.repeat(1_000_000) } })
    await events.created({ spec: { city: 'Bonn', others: large } })
    const wide = await related(events, { size: '1', expand: 'spec.others' })
    expect(Object.keys(wide.expanded?.[resourceOf(halls)] ?? {})).toEqual(large.slice(0, 9))
    expect(wide.expandedIsPartial).toBe(true)
  })

  test('C10-21 continue carries expand and referrers', async () => {
    const { halls, events } = await eventsInHalls(api)
    for (const name of ['a', 'b']) await halls.created({ name })
    for (const [name, hall] of [
      ['e', 'a'],
      ['f', 'b'],
    ] as const)
      await events.created({ name, spec: { hall } })
    const referrers = `${resourceOf(events)}/spec.after`
    const first = await related(events, { size: '1', expand: 'spec.hall', referrers })
    const next = relatedIn(await events.send('GET', { continue: first.continue ?? '' }))
    expect([first, next].map(({ expanded }) => Object.keys(expanded?.[resourceOf(halls)] ?? {}))).toEqual([
      ['b'],
      ['a'],
    ])
    expect(next.referrers).toEqual({ [referrers]: { e: 0 } })
  })

  test('C10-22 without a rule to get the other model expand is 403; objects that may not be read are absent like missing ones', async () => {
    const { halls, events } = await eventsInHalls(api)
    for (const name of ['a', 'b']) await halls.created({ name })
    await events.created({ name: 'e', spec: { hall: 'a' } })
    await events.created({ name: 'f', spec: { hall: 'b' } })
    const expand = (ann: Person) => ann.request('GET', `${events.path}?size=20&expand=spec.hall`)
    const outsider = await expand(await personWith(api, events, { ...listing(halls), verbs: ['list', 'watch'] }))
    expectProblem(outsider, 403, 'Forbidden')
    expect(detailOf(outsider)).toContain(resourceOf(halls))
    const [some, others, all] = [
      await expand(await personWith(api, events, getting(halls, 'b', 'unused'))),
      await expand(await personWith(api, events, getting(halls, 'unused'))),
      await expand(await personWith(api, events, getting(halls))),
    ].map((answer) => Object.keys(relatedIn(answer).expanded?.[resourceOf(halls)] ?? {}))
    expect([some, others, all]).toEqual([['b'], [], ['a', 'b']])
    expect((await api.request('GET', `${events.path}?size=1&expand=spec.hall`, { as: 'anonymous' })).status).toBe(401)

    const loose = await api.model(withFields({ hall: text }))
    await loose.created({ spec: { hall: 'nowhere' } })
    await loose.redefine({ versions: versionsOf({ city: text, hall: to(halls.spec) }) })
    expect((await related(loose, { expand: 'spec.hall' })).expanded).toEqual({ [resourceOf(halls)]: {} })
  })

  test('C10-23 C10-24 C10-28 expand needs the plugin of the other model, and at the address of an owner its general right', async () => {
    expectStatus(await installPackage(api, await packed()), 201)
    await phaseIs(api, { phase: 'Started' }, 'hall')
    const general = '/apis/hall.example.com/v1'
    const own = '/apis/uc.api.hall.example.com/v1/registrations?size=20'
    const event = { metadata: { name: 'concert' }, spec: { seats: 3 } }
    expectStatus(await api.request('POST', `${general}/events`, { body: event }), 201)
    const rule = { apiGroups: ['hall.example.com'], resources: ['events'], verbs: ['get'] }
    const ann = await person(api, { roles: ['hall-attend'] })
    const bob = await person(api, { roles: ['hall-attend', await createRole(api, { rules: [rule] })] })
    for (const [at, { name: owner }] of [ann, bob].entries()) {
      const body = { metadata: { name: `r${at}` }, spec: { event: 'concert', owner } }
      expectStatus(await api.request('POST', `${general}/registrations`, { body }), 201)
    }
    await expectSoon(async () => expectStatus(await bob.request('GET', `${general}/events/concert`), 200))
    const refused = await ann.request('GET', `${own}&expand=spec.event`)
    expectProblem(refused, 403, 'Forbidden')
    expect(detailOf(refused)).toContain('events.hall.example.com')
    const answer = relatedIn(await bob.request('GET', `${own}&expand=spec.event`))
    expect(answer.items.map(({ metadata }) => metadata.name)).toEqual(['r1'])
    expect(Object.keys(answer.expanded?.['events.hall.example.com'] ?? {})).toEqual(['concert'])
    const counts = await bob.request('GET', `${own}&referrers=badges.hall.example.com/spec.instead`)
    expectProblem(counts, 400, 'BadRequest')
    expect(detailOf(counts)).toContain('general address')

    for (const spec of [{ owner: ann.name }, { owner: ann.name, instead: 'b1' }]) {
      const metadata = { name: `b${'instead' in spec ? 2 : 1}` }
      expectStatus(await api.request('POST', `${general}/badges`, { body: { metadata, spec } }), 201)
    }
    const seen = await api.request('GET', '/apis/uc.api.hall.example.com/v1/events/-/overview')
    expect(seen.body).toEqual({ through: 'Forbidden', seats: [3, 3], instead: ['b1', ''], registered: [2] })

    const visits = await api.model(withFields({ event: to({ group: 'hall.example.com', plural: 'events' }) }))
    await enable(api, 'hall', false)
    expectProblem(await visits.send('GET', { size: '1', expand: 'spec.event' }), 503, 'PluginNotStarted')
    const holders = `${core}/users?size=1&referrers=badges.hall.example.com/spec.owner`
    expectProblem(await api.request('GET', holders), 503, 'PluginNotStarted')
    await enable(api, 'hall')
    expectStatus(await visits.send('GET', { size: '1', expand: 'spec.event' }), 200)
    expectStatus(await api.request('DELETE', visits.modelPath), 200)
  })

  test('C10-25 referrers counts the objects that refer to each object of a page', async () => {
    const { halls, events } = await eventsInHalls(api)
    for (const name of ['a', 'b', 'none']) await halls.created({ name })
    await events.created({ name: 'e', spec: { hall: 'a', others: ['a', 'b'] } })
    await fill(
      api,
      events,
      Array.from({ length: 1_001 }, () => thing({ spec: { hall: 'b', others: ['b'] } })),
    )
    const at = (path: string) => `${resourceOf(events)}/${path}`
    const { referrers } = await related(halls, { referrers: [at('spec.hall'), at('spec.others')] })
    expect(referrers).toEqual({
      [at('spec.hall')]: { a: 1, b: 1_000, none: 0 },
      [at('spec.others')]: { a: 1, b: 1_000, none: 0 },
    })
    const cases: readonly (readonly [Query, string])[] = [
      [{ size: '101', referrers: at('spec.hall') }, 'size=100 or less'],
      [{ referrers: at('spec.hall') }, 'size=100 or less'],
      [{ size: '1', referrers: at('spec.after') }, 'spec.hall, spec.others, spec.stops[].hall'],
      [{ size: '1', referrers: 'spec.hall' }, 'write <plural>.<group>/<path>'],
      [{ size: '1', referrers: 'nothing.example.com/spec.hall' }, 'no field does'],
      [{ size: '1', referrers: ['1', '2', '3', '4', '5'].map(at) }, 'at most 4'],
    ]
    for (const [query, words] of cases) {
      const answer = await halls.send('GET', query)
      expectProblem(answer, 400, 'BadRequest')
      expect(detailOf(answer)).toContain(words)
    }
    const users = await api.request('GET', `${core}/users?size=5&referrers=${at('spec.host')}`)
    expect(Object.keys(relatedIn(users).referrers?.[at('spec.host')] ?? {})).toHaveLength(relatedIn(users).items.length)
  })

  test('C10-26 referrers is 403 without the right to list the other model, whether it exists or not', async () => {
    const { halls, events } = await eventsInHalls(api)
    await halls.created({ name: 'a' })
    const ann = await personWith(api, halls, getting(events), { ...listing(events), resourceNames: ['e'] })
    const details: string[] = []
    for (const resource of [resourceOf(events), 'nothing.example.com']) {
      for (const path of ['spec.hall', 'spec.nothing']) {
        const answer = await ann.request('GET', `${halls.path}?size=1&referrers=${resource}/${path}`)
        expectProblem(answer, 403, 'Forbidden')
        details.push(detailOf(answer).replaceAll(resource, 'R').replaceAll(path, 'P'))
      }
    }
    expect(new Set(details).size).toBe(1)
  })

  test('C10-27 an outsider learns by expand and referrers neither names nor whether objects exist', async () => {
    const halls = await api.model(withFields({}, { group: 'halls.example.com' }))
    const events = await api.model(withFields({ hall: text }))
    await halls.created({ name: 'known' })
    for (const hall of ['known', 'unknown']) await events.created({ name: hall, spec: { hall } })
    await events.redefine({
      versions: versionsOf({ city: text, hall: to(halls.spec), host: to({ group: '', plural: 'users' }) }),
    })
    const eve = await personWith(api, events, getting(halls, 'nothing'))
    const ask = (query: string) => eve.request('GET', `${events.path}?size=5&${query}`)
    const answers = await Promise.all(
      ['known', 'unknown'].map((name) => ask(`expand=spec.hall&fieldSelector=metadata.name=${name}`)),
    )
    expect(answers.map((answer) => relatedIn(answer).expanded)).toEqual([
      { [resourceOf(halls)]: {} },
      { [resourceOf(halls)]: {} },
    ])
    expectProblem(await ask('expand=spec.host'), 403, 'Forbidden')
    expectProblem(await ask('expand=spec.hall&expand=spec.host'), 403, 'Forbidden')
    expectProblem(
      await eve.request('GET', `${halls.path}?size=5&referrers=${resourceOf(events)}/spec.hall`),
      403,
      'Forbidden',
    )
    // A token made by another caller carries parameters, not rights.
    const { continue: token } = await related(events, { size: '1', expand: 'spec.host,spec.hall' })
    expectProblem(await eve.request('GET', `${events.path}?continue=${token}`), 403, 'Forbidden')
  })
})
