import { join } from 'node:path'
import { expect, test } from 'vitest'
import { thing, type Collection, type List, type ThingParts } from './collection.ts'
import { freshModel, modelName, modelObject, modelsPath, versionsOf, type ModelSpec, type Schema } from './models.ts'
import { bind, core, person } from './people.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { installPackage, packages, phaseIs, plugins } from './plugin.ts'
import { once, onEachEngine, type Api } from './server.ts'
import { packedSource } from '../end-to-end/packed-source.ts'

const administration = '/apis/console.api.platform.run/v1alpha1/plugins'
const packed = once(() => packedSource(join(import.meta.dirname, 'plugins/hall.ts')))
const text = { type: 'string' }
const to = ({ group, plural }: { group: string; plural: string }, more: object = {}) => ({
  type: 'string',
  'x-reference': { group, plural, ...more },
})
const users = to({ group: '', plural: 'users' })

interface Problem {
  readonly errors?: readonly { readonly pointer?: string; readonly rule: string; readonly message: string }[]
  readonly referrers?: readonly unknown[]
  readonly detail: string
}
const problemOf = ({ body }: Answer) => body as Problem
const faultsOf = (answer: Answer) => (problemOf(answer).errors ?? []).map(({ pointer, rule }) => `${rule} ${pointer}`)

/** A model with the fields beside its city, and without indexes. */
const withFields = (fields: Readonly<Record<string, Schema>>, parts: Partial<ModelSpec> = {}) =>
  freshModel({ versions: versionsOf({ city: text, ...fields }), indexes: [], composites: [], ...parts })

const register = (api: Api, spec: ModelSpec): Promise<Collection> => api.model(spec)

/** Halls, and events that take place in them. */
async function eventsInHalls(api: Api) {
  const halls = await register(api, withFields({}))
  const spec = withFields({ hall: to(halls.spec), others: { type: 'array', items: to(halls.spec) } })
  const events = await register(api, {
    ...spec,
    versions: versionsOf({
      city: text,
      hall: to(halls.spec),
      others: { type: 'array', items: to(halls.spec) },
      after: to(spec),
    }),
  })
  return { halls, events }
}

const resourceOf = ({ spec: { group, plural } }: Collection) => `${plural}.${group}`
const hold = { metadata: { finalizers: ['halls.example.com/keep'] } }

onEachEngine((api) => {
  const define = (fields: Readonly<Record<string, Schema>>) =>
    api.request('POST', modelsPath, { body: modelObject(withFields(fields)) })

  test('C10-1 C10-3 references that cannot be checked are refused, with their place', async () => {
    const halls = await register(api, withFields({}))
    const at = '/spec/versions/0/schema/properties/spec/properties'
    const cases: readonly (readonly [string, Readonly<Record<string, Schema>>, string, string])[] = [
      ['a number', { a: { ...to(halls.spec), type: 'integer' } }, `${at}/a/x-reference`, 'belongs on a string'],
      [
        'an array in an array',
        { a: { type: 'array', items: { type: 'array', items: to(halls.spec) } } },
        `${at}/a/items/items/x-reference`,
        'belongs on a string',
      ],
      ['an alternative', { a: { anyOf: [to(halls.spec)] } }, `${at}/a/anyOf/0/x-reference`, 'belongs on a string'],
      [
        'no object',
        { a: { type: 'string', 'x-reference': 'halls' } },
        `${at}/a/x-reference`,
        'must be an object such as',
      ],
      ['another action', { a: to(halls.spec, { onDelete: 'cascade' }) }, `${at}/a/x-reference`, 'it can be refuse'],
      ['another field', { a: to(halls.spec, { name: 'x' }) }, `${at}/a/x-reference`, 'has no field "name"'],
      ['nothing', { a: to({ group: 'x.example.com', plural: 'none' }) }, `${at}/a/x-reference`, 'is not registered'],
    ]
    for (const [what, fields, pointer, message] of cases) {
      const answer = await define(fields)
      expectProblem(answer, 422, 'Invalid')
      const [error] = problemOf(answer).errors ?? []
      expect([what, error?.pointer, error?.message]).toEqual([what, pointer, expect.stringContaining(message)])
    }
    const nine = Object.fromEntries(Array.from({ length: 9 }, (_, number) => [`f${number}`, to(halls.spec)]))
    expect(problemOf(await define(nine)).errors?.[0]?.message).toContain('has 9 references; at most 8')
    expectStatus(await define({ a: users }), 201)
    const stops = { type: 'array', items: { type: 'object', properties: { hall: to(halls.spec) } } }
    const tours = await register(api, withFields({ stops }))
    expect(faultsOf(await tours.create({ spec: { stops: [{}, { hall: 'x' }] } }))).toEqual([
      'reference /spec/stops/1/hall',
    ])
    const own = withFields({})
    await register(api, { ...own, versions: versionsOf({ city: text, parent: to(own) }) })
  })

  test('C10-2 C10-4 C10-5 added values must name live objects, are selectable, and are not checked again', async () => {
    const { halls, events } = await eventsInHalls(api)
    for (const name of ['a', 'b', 'gone']) await halls.created({ name, ...(name === 'gone' && hold) })
    await halls.delete('gone')
    const create = (name: string, spec: object) => events.create({ name, spec: { ...spec } })
    expect(faultsOf(await create('e', { hall: 'x' }))).toEqual(['reference /spec/hall'])
    expect(faultsOf(await create('e', { hall: 'gone' }))).toEqual(['reference /spec/hall'])
    expect(faultsOf(await create('e', { others: ['a', 'x'] }))).toEqual(['reference /spec/others/1'])
    expect(faultsOf(await create('e', { after: 'f' }))).toEqual(['reference /spec/after'])
    expectStatus(await create('e', { hall: 'a', others: ['a', 'b'], after: 'e' }), 201)
    expect(await events.names({ fieldSelector: 'spec.hall=a' })).toEqual(['e'])
    expect(await events.names({ fieldSelector: 'spec.others=b' })).toEqual(['e'])
    expect(faultsOf(await events.patch('e', { spec: { hall: 'x' } }))).toEqual(['reference /spec/hall'])
    const whole = thing({ name: 'e', spec: { hall: 'a', others: ['gone', 'b'] } })
    expect(faultsOf(await events.put('e', whole))).toEqual(['reference /spec/others/0'])
    expectStatus(await events.patch('e', { spec: { hall: 'b', city: 'Bonn' } }), 200)
    expectStatus(await create('dry', { hall: 'x' }), 422)
    expectStatus(await api.request('POST', `${events.path}?dryRun=true`, { body: thing({ spec: { hall: 'x' } }) }), 422)

    const loose = await register(api, withFields({ hall: text }))
    await loose.created({ name: 'l', spec: { hall: 'nowhere' } })
    await loose.redefine({ versions: versionsOf({ city: text, hall: to(halls.spec) }) })
    expectStatus(await loose.patch('l', { spec: { city: 'Bonn' } }), 200)
    expect(faultsOf(await loose.patch('l', { spec: { hall: 'elsewhere' } }))).toEqual(['reference /spec/hall'])
  })

  test('C10-6 C10-7 an object that others refer to cannot be deleted; the answer names those that the caller may list', async () => {
    const { halls, events } = await eventsInHalls(api)
    await halls.created({ name: 'a' })
    await halls.created({ name: 'held', ...hold })
    await events.created({ name: 'e', spec: { hall: 'a', others: ['a', 'held'] } })
    await events.created({ name: 'f', spec: { hall: 'a', after: 'f' } })
    const resource = resourceOf(events)
    const referrers = [
      { resource, path: 'spec.hall', count: 2, names: expect.arrayContaining(['e', 'f']) as unknown },
      { resource, path: 'spec.others', count: 1, names: ['e'] },
    ]
    const { headers } = await halls.get('a')
    for (const answer of [
      await halls.delete('a'),
      await halls.delete('a', { headers: { 'if-match': String(headers['etag']) } }),
      await api.request('DELETE', `${halls.path}/a?dryRun=true`),
    ]) {
      expectProblem(answer, 409, 'InUse')
      expect(problemOf(answer).referrers).toEqual(referrers)
      expect(problemOf(answer).detail).toContain(`2 ${resource} (spec.hall)`)
    }
    expectProblem(await halls.delete('held'), 409, 'InUse')
    expect(((await halls.read('held')).metadata as { deletionTimestamp?: string }).deletionTimestamp).toBeUndefined()

    const name = `halls-only-${halls.spec.plural}`
    const rules = [{ apiGroups: [halls.spec.group], resources: [halls.spec.plural], verbs: ['*'] }]
    expectStatus(await api.request('POST', `${core}/roles`, { body: { metadata: { name }, rules } }), 201)
    const ann = await person(api, { roles: [name] })
    const hidden = await ann.request('DELETE', `${halls.path}/a`)
    expectProblem(hidden, 409, 'InUse')
    expect(problemOf(hidden).referrers).toEqual([{ hidden: true }])
    expect(hidden.text).not.toContain(events.spec.plural)

    expectStatus(await events.delete('f'), 200)
    expectStatus(await events.delete('e'), 200)
    expectStatus(await halls.delete('a'), 200)
    expectStatus(await halls.delete('held'), 200)
  })

  test('C10-8 a batch creates an object before those that refer to it, and deletes it after them', async () => {
    const { halls, events } = await eventsInHalls(api)
    const operation = (verb: string, model: Collection, name: string, parts: ThingParts = {}) => {
      const type = { apiVersion: `${model.spec.group}/v1alpha1`, resource: model.spec.plural }
      return { verb, ...type, ...(verb === 'create' ? { object: thing({ name, ...parts }) } : { name }) }
    }
    const batch = (...operations: readonly object[]) =>
      api.request('POST', '/apis/api.platform.run/v1alpha1/batches', { body: { operations } })
    const hall = operation('create', halls, 'h')
    const event = operation('create', events, 'e', { spec: { hall: 'h' } })
    const early = await batch(event, hall)
    expectProblem(early, 422, 'Invalid')
    expect(faultsOf(early)).toEqual(['reference /operations/0/object/spec/hall'])
    expectStatus(await batch(hall, event), 200)
    const [noHall, noEvent] = [operation('delete', halls, 'h'), operation('delete', events, 'e')]
    const wrong = await batch(noHall, noEvent)
    expectProblem(wrong, 409, 'InUse')
    expect(problemOf(wrong).referrers).toMatchObject([{ path: 'spec.hall', names: ['e'] }])
    expectStatus(await batch(noEvent, noHall), 200)
  })

  test('C10-9 deleting a collection leaves objects that others refer to', async () => {
    const { halls, events } = await eventsInHalls(api)
    for (const name of ['a', 'b', 'c']) await halls.created({ name })
    await events.created({ name: 'e', spec: { hall: 'b' } })
    const answer = await halls.send('DELETE', { all: 'true' })
    expect(answer.body).toEqual({ deleted: 2, pending: 0, refused: 1, remaining: false })
    expect(await halls.names()).toEqual(['b'])
  })

  test('C10-10 users and objects of other groups that the request may not get are answered like missing ones', async () => {
    const halls = await register(api, withFields({}, { group: 'halls.example.com' }))
    await halls.created({ name: 'known' })
    const events = await register(api, withFields({ hall: to(halls.spec), host: users }))
    const name = `events-only-${events.spec.plural}`
    const rules = [{ apiGroups: [events.spec.group], resources: [events.spec.plural], verbs: ['*'] }]
    expectStatus(await api.request('POST', `${core}/roles`, { body: { metadata: { name }, rules } }), 201)
    const ann = await person(api, { roles: [name] })
    const bob = await person(api)
    const create = (spec: object) => ann.request('POST', events.path, { body: thing({ spec: { ...spec } }) })
    const [known, unknown] = [await create({ hall: 'known' }), await create({ hall: 'other' })]
    expect(problemOf(known).errors?.[0]?.message.replace('known', 'other')).toBe(
      problemOf(unknown).errors?.[0]?.message,
    )
    expect(faultsOf(known)).toEqual(['reference /spec/hall'])
    expect(faultsOf(await create({ host: bob.name }))).toEqual(['reference /spec/host'])
    expectStatus(await create({ host: ann.name }), 201)
    expectProblem(await api.request('DELETE', `${core}/users/${ann.name}`), 409, 'InUse')
    await bind(api, 'super-administrator', [ann.name])
    await expect
      .poll(async () => (await create({ hall: 'known', host: bob.name })).status, { timeout: 60_000 })
      .toBe(201)
  })

  test('C10-11 a model that another one refers to cannot be deleted', async () => {
    const { halls, events } = await eventsInHalls(api)
    const answer = await api.request('DELETE', `${modelsPath}/${modelName(halls.spec)}`)
    expectProblem(answer, 409, 'InUse')
    expect(problemOf(answer).detail).toContain(resourceOf(events))
    expectStatus(await api.request('DELETE', `${modelsPath}/${modelName(events.spec)}`), 200)
    expectStatus(await api.request('DELETE', `${modelsPath}/${modelName(halls.spec)}`), 200)
  })

  test('C10-12 creates and deletions that race on two replicas leave no value without its object', async () => {
    const { halls, events } = await eventsInHalls(api)
    const other = await api.replica()
    for (let round = 0; round < 10; round++) {
      const hall = `h${round}`
      await halls.created({ name: hall })
      const creating = Array.from({ length: 4 }, (_, at) =>
        (at % 2 === 0 ? api : other).request('POST', events.path, {
          body: thing({ name: `e${round}-${at}`, spec: at < 2 ? { hall } : { others: [hall] } }),
        }),
      )
      const [removed, ...created] = await Promise.all([other.request('DELETE', `${halls.path}/${hall}`), ...creating])
      const statuses = created.map(({ status }) => status)
      expect([removed?.status, new Set(statuses).size]).toSatisfy(([status]) => status === 200 || status === 409)
      if (removed?.status === 200) expect(new Set(statuses)).toEqual(new Set([422]))
      else expect(statuses).toContain(201)
    }
  })

  test('C10-13 C10-29 C10-30 a reference added later protects the objects that its values name, and shows those that name nothing', async () => {
    const halls = await register(api, withFields({}))
    const fields = { city: text, hall: text }
    const events = await register(api, withFields(fields))
    await halls.created({ name: 'a' })
    await events.created({ name: 'e', spec: { hall: 'a' } })
    await events.created({ name: 'lost', spec: { hall: 'none' } })
    await events.redefine({ versions: versionsOf({ ...fields, hall: to(halls.spec) }) })
    const removal = async () => (await halls.delete('a')).status
    // 503 until the index is built.
    await expect.poll(removal, { timeout: 60_000 }).toBe(409)
    const { body } = await api.request('GET', `${events.path}?nonconforming=true`)
    expect((body as List).items.map(({ metadata }) => metadata.name)).toEqual(['lost'])
    const statusOf = async () => (await api.request('GET', `${modelsPath}/${modelName(events.spec)}`)).body
    const references = [{ path: 'spec.hall', phase: 'Ready', dangling: 1 }]
    await expect.poll(statusOf, { timeout: 60_000 }).toMatchObject({ status: { phase: 'Ready', references } })
    await events.redefine({})
    await expect.poll(removal, { timeout: 60_000 }).toBe(200)
  })

  test('C10-14 one write adds at most 100 values', async () => {
    const { halls, events } = await eventsInHalls(api)
    await halls.created({ name: 'a' })
    const others = Array.from({ length: 101 }, (_, at) => `h${at}`)
    const answer = await events.create({ spec: { others } })
    expect(faultsOf(answer)).toEqual(['limit /spec/others/0'])
    expect(problemOf(answer).errors?.[0]?.message).toContain('at most 100')
  })

  test('C10-15 C10-16 C10-17 a plugin refers to its own models and to users, and can be purged', async () => {
    const hall = '/apis/hall.example.com/v1'
    const body = await packed()
    const refused = await api.request('POST', packages, { body, headers: { 'content-type': 'application/gzip' } })
    expectProblem(refused, 422, 'Invalid')
    expect(problemOf(refused).errors?.map(({ message }) => message)).toContain('keep users from being deleted')
    expectStatus(await installPackage(api, body), 201)
    await phaseIs(api, { phase: 'Started' }, 'hall')
    const ann = await person(api, { roles: ['hall-attend'] })
    const badge = { metadata: { name: 'one' }, spec: {} }
    expectStatus(await ann.request('POST', `/apis/uc.api.hall.example.com/v1/badges`, { body: badge }), 201)
    expectProblem(await api.request('DELETE', `${core}/users/${ann.name}`), 409, 'InUse')
    const second = { metadata: { name: 'two' }, spec: { owner: ann.name, instead: 'one' } }
    expectStatus(await api.request('POST', `${hall}/badges`, { body: second }), 201)
    const event = { metadata: { name: 'concert' }, spec: { seats: 3 } }
    expectStatus(await api.request('POST', `${hall}/events`, { body: event }), 201)
    const registration = { metadata: { name: 'r' }, spec: { event: 'concert', owner: ann.name } }
    expectStatus(await api.request('POST', `${hall}/registrations`, { body: registration }), 201)
    expectProblem(await api.request('DELETE', `${hall}/events/concert`), 409, 'InUse')

    const visits = await register(api, withFields({ event: to({ group: 'hall.example.com', plural: 'events' }) }))
    await visits.created({ name: 'v', spec: { event: 'concert' } })
    expectStatus(await api.request('POST', `${administration}/hall/purge`), 200)
    await phaseIs(api, { message: expect.stringContaining('events are left') as string }, 'hall')
    expectStatus(await visits.delete('v'), 200)
    expectStatus(await api.request('DELETE', visits.modelPath), 200)
    const left = async () => (await api.request('GET', `${plugins}/hall`)).status
    await expect.poll(left, { timeout: 60_000 }).toBe(404)
    expectStatus(await api.request('DELETE', `${core}/users/${ann.name}`), 200)
  })
})
