import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packedSource } from '../end-to-end/packed-source.ts'
import { bind, person, type Person } from './people.ts'
import { installPackage, phaseIs } from './plugin.ts'
import { expectProblem, expectStatus, type Answer } from './request.ts'
import { once, onEachEngine } from './server.ts'

const group = 'hall.example.com/v1'
const events = `/apis/${group}/events`
const registrations = `/apis/${group}/registrations`
const receipts = `/apis/${group}/receipts`
const routes = `/apis/uc.api.${group}/events`
const mine = `/apis/uc.api.${group}/registrations`
const merge = { 'content-type': 'application/merge-patch+json' }
const json = { 'content-type': 'application/json-patch+json' }
const packed = once(() => packedSource(join(import.meta.dirname, 'plugins/hall.ts')))

interface Stored {
  readonly metadata: { readonly name: string }
  readonly spec: Readonly<Record<string, unknown>>
  readonly status?: object
}

onEachEngine((api) => {
  const installed = once(async () => {
    expectStatus(await installPackage(api, await packed()), 201)
    await phaseIs(api, { phase: 'Started' }, 'hall')
    const ann = await person(api, { roles: ['hall-attend'] })
    const boss = await person(api, { roles: ['hall-attend', 'hall-manage'] })
    await addEvent('any', 1)
    return { ann, boss }
  })
  const addEvent = async (name: string, seats: number) =>
    expectStatus(await api.request('POST', events, { body: { metadata: { name }, spec: { seats } } }), 201)
  const specOf = async (path: string) => ((await api.request('GET', path)).body as Stored).spec
  const totalOf = async (path: string) => ((await api.request('GET', path)).body as { total: number }).total
  const nameOf = ({ body }: Answer) => (body as Stored).metadata.name
  const ownName = async (owner: Person) => nameOf(await owner.request('POST', mine, { body: newOne({ event: 'any' }) }))
  const newOne = (spec: object) => ({ metadata: { generateName: 'r-' }, spec })

  test('C12-1 C12-7 a batch of a plugin writes several models or nothing: 50 callers on 10 seats get exactly 10', async () => {
    await installed()
    await addEvent('concert', 10)
    const people = await Promise.all(Array.from({ length: 5 }, () => person(api, { roles: ['hall-attend'] })))
    const callers = Array.from({ length: 10 }, () => people).flat()
    const answers = await Promise.all(callers.map((one) => one.request('POST', `${routes}/concert/seats`)))
    const statuses = answers.map(({ status }) => status)
    expect([statuses.filter((one) => one === 201).length, statuses.filter((one) => one === 409).length]).toEqual([
      10, 40,
    ])
    expect(await specOf(`${events}/concert`)).toEqual({ seats: 10, taken: 10 })
    const { body } = await api.request('GET', `${registrations}?fieldSelector=spec.event=concert`)
    const seats = (body as { items: readonly Stored[] }).items.map(({ spec }) => Number(spec['seat']))
    expect(seats.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, at) => at))
  })

  test('C12-2 a batch of the caller needs the rights of plugin and caller', async () => {
    const { ann, boss } = await installed()
    expectProblem(await ann.request('POST', `${routes}/-/callers-batch`), 403, 'Forbidden')
    expectStatus(await api.request('GET', `${events}/by-caller`), 404)
    await bind(api, 'super-administrator', [boss.name])
    const answer = await boss.request('POST', `${routes}/-/callers-batch`)
    expectStatus(answer, 200)
    expect(answer.body).toEqual({ taken: 0 })
  })

  test('C12-5 operations on several models take effect and are logged in the given order', async () => {
    const { boss } = await installed()
    const { body } = await api.request('GET', `${receipts}?size=1`)
    const since = (body as { revision: string }).revision
    using inReceipts = await api.watch(`${receipts}?revision=${since}`)
    using inEvents = await api.watch(`${events}?revision=${since}`)
    const answer = await boss.request('POST', `${routes}/-/mixed`)
    expect(answer.body).toEqual({ names: ['zz', 'mm', 'aa', 'bb'] })
    const ours = new Set(['zz', 'mm', 'aa', 'bb'])
    const seen = () =>
      [...inEvents.events, ...inReceipts.events].filter(({ object }) => ours.has(object?.metadata.name ?? ''))
    await expect.poll(() => seen().length, { timeout: 60_000 }).toBe(4)
    const logged = seen().toSorted(
      (one, other) => Number.parseInt(one.revision ?? '', 10) - Number.parseInt(other.revision ?? '', 10),
    )
    expect(logged.map(({ object }) => object?.metadata.name)).toEqual(['zz', 'mm', 'aa', 'bb'])
  })

  test('C12-6 updateStatus with a function retries conflicts, so that no change is lost', async () => {
    const { boss } = await installed()
    await addEvent('seen', 1)
    const answers = await Promise.all(Array.from({ length: 8 }, () => boss.request('POST', `${routes}/seen/seen`)))
    for (const answer of answers) expectStatus(answer, 200)
    expect(((await api.request('GET', `${events}/seen`)).body as Stored).status).toEqual({ seen: 8 })
  })

  test('C12-3 a lease runs one process and one piece of work at a time', async () => {
    const { boss } = await installed()
    const before = await totalOf(`${receipts}?fieldSelector=spec.owner=till`)
    const answers = await Promise.all(Array.from({ length: 6 }, () => boss.request('POST', `${routes}/-/turns`)))
    for (const answer of answers) {
      expectStatus(answer, 200)
      expect(answer.body).toMatchObject({ isAlone: true })
    }
    expect(await totalOf(`${receipts}?fieldSelector=spec.owner=till`)).toBe(before + 6)
  })

  test('C12-4 a lease that is not obtained in time is InUse, and names of controllers are taken', async () => {
    const { boss } = await installed()
    expectProblem(await boss.request('POST', `${routes}/-/nested`), 409, 'InUse')
    expectStatus(await boss.request('POST', `${routes}/-/clash`), 500)
  })

  test('C11-1 owned objects are served with the verbs of each template, and with no other', async () => {
    const { ann, boss } = await installed()
    const name = await ownName(ann)
    expectStatus(await ann.request('GET', mine), 200)
    // Served, but not to this template.
    expectStatus(await ann.request('DELETE', `${mine}/${name}`), 403)
    expectStatus(await boss.request('DELETE', `${mine}/${await ownName(boss)}`), 200)
    const own = `/apis/uc.api.${group}/receipts`
    expectStatus(await ann.request('GET', own), 200)
    for (const [method, path, allow] of [
      ['POST', own, 'GET, HEAD'],
      ['PUT', `${own}/mm`, 'GET, HEAD'],
      ['DELETE', `${own}/mm`, 'GET, HEAD'],
    ] as const) {
      const answer = await api.request(method, path, { body: method === 'DELETE' ? undefined : { spec: {} } })
      expectProblem(answer, 405, 'MethodNotAllowed')
      expect(answer.headers.allow).toBe(allow)
    }
  })

  test('C11-2 owners can neither set nor change what is read-only, by any verb or patch', async () => {
    const { ann } = await installed()
    const errors = (...pointers: string[]) => ({ errors: pointers.map((pointer) => ({ pointer, rule: 'readOnly' })) })
    const refused = async (asked: Promise<Answer>, ...pointers: string[]) => {
      const answer = await asked
      expectProblem(answer, 422, 'Invalid')
      expect(answer.body).toMatchObject(errors(...pointers))
    }
    await refused(ann.request('POST', mine, { body: newOne({ event: 'any', seat: 4711 }) }), '/spec/seat')
    // Even with the value that the default has.
    await refused(ann.request('POST', mine, { body: newOne({ event: 'any', seat: 0 }) }), '/spec/seat')
    const name = await ownName(ann)
    const path = `${mine}/${name}`
    const spec = { event: 'any', seat: 3, address: { city: 'Bern' }, owner: ann.name }
    const stored = `${registrations}/${name}`
    expectStatus(await api.request('PATCH', stored, { headers: merge, body: { spec } }), 200)
    const read = (await ann.request('GET', path)).body as Stored
    const both = ['/spec/seat', '/spec/address/city']
    await refused(ann.request('PUT', path, { body: { ...read, spec: { ...spec, seat: 4 } } }), '/spec/seat')
    await refused(
      ann.request('PUT', path, { body: { ...read, spec: { ...spec, seat: null, address: { city: 'Chur' } } } }),
      ...both,
    )
    for (const body of [{ spec: { seat: 5 } }, { spec: { seat: null } }]) {
      await refused(ann.request('PATCH', path, { headers: merge, body }), '/spec/seat')
    }
    await refused(
      ann.request('PATCH', path, { headers: merge, body: { spec: { address: null } } }),
      '/spec/address/city',
    )
    for (const steps of [
      [{ op: 'remove', path: '/spec/seat' }],
      [{ op: 'move', from: '/spec/seat', path: '/spec/note' }],
      [{ op: 'replace', path: '/spec/seat', value: 9 }],
    ]) {
      const answer = await ann.request('PATCH', path, { headers: json, body: steps })
      expectProblem(answer, 422, 'Invalid')
      // The pointer is the place in the patch.
      expect(answer.body).toMatchObject({ errors: [{ rule: 'readOnly' }] })
    }
    expect(await specOf(stored)).toEqual(spec)
    // The batch endpoint has no addresses of owners, and the model itself is not theirs.
    const operation = {
      verb: 'patch',
      apiVersion: `uc.api.${group}`,
      resource: 'registrations',
      name,
      patchType: merge['content-type'],
    }
    const batch = await ann.request('POST', '/apis/api.platform.run/v1alpha1/batches', {
      body: { operations: [{ ...operation, object: { spec: { seat: 6 } } }] },
    })
    expect(batch.status).toBeGreaterThanOrEqual(400)
    expect(await specOf(stored)).toEqual(spec)
  })

  test('C11-3 a full update that omits a read-only field keeps its value', async () => {
    const { ann } = await installed()
    const name = await ownName(ann)
    const stored = `${registrations}/${name}`
    const set = { spec: { seat: 7, address: { city: 'Bern' } } }
    expectStatus(await api.request('PATCH', stored, { headers: merge, body: set }), 200)
    const { metadata } = (await ann.request('GET', `${mine}/${name}`)).body as Stored
    const body = { metadata, spec: { event: 'any', note: 'window' } }
    expectStatus(await ann.request('PUT', `${mine}/${name}`, { body }), 200)
    expect(await specOf(stored)).toEqual({
      event: 'any',
      note: 'window',
      owner: ann.name,
      seat: 7,
      address: { city: 'Bern' },
    })
  })
})
