import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { freshName, sentBack, type Collection } from './collection.ts'
import { plainIndexes } from './models.ts'
import { beforeExpiry, bind, core, createRole, login, person } from './people.ts'
import { expectStatus } from './request.ts'
import { onEachEngine, type Api } from './server.ts'
import { Refused, transports, type Watching } from './watching.ts'

const own = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'

/** Creates a role whose holders may watch the model; returns its name. */
function watchers(api: Api, { spec }: Collection): Promise<string> {
  return createRole(api, { rules: [{ apiGroups: [spec.group], resources: [spec.plural], verbs: ['watch'] }] })
}

async function expectEnd(watching: Watching, status: number): Promise<void> {
  expect((await watching.frame('ERROR')).object).toMatchObject({ status })
  await watching.ended
}

onEachEngine((api) => {
  describe.each(transports)('%s', (transport) => {
    test('C6-12 a stream ends with 403 when its right is revoked, on every replica', async () => {
      const things = await api.model()
      const elsewhere = await api.replica()
      const role = await watchers(api, things)
      const ann = await person(api)
      const binding = await bind(api, role, [ann.name])
      const options = { transport, token: ann.token }
      await expect.poll(() => opens(elsewhere, things.path, options)).toBe(true)
      using watching = await elsewhere.watch(things.path, options)
      using by = await elsewhere.watch(things.path, options)
      await things.created()
      await watching.until(1)
      expectStatus(await api.request('DELETE', `${core}/rolebindings/${binding}`), 200)
      await expectEnd(watching, 403)
      await expectEnd(by, 403)
      await things.created()
      await sleep(50)
      expect(watching.lines()).toHaveLength(2)
    })

    test('C6-13 a stream ends with 401 when its credential is revoked or expires', async () => {
      const things = await api.model()
      const elsewhere = await api.replica()
      const ann = await person(api, { roles: [await watchers(api, things)] })
      const token = async (body: object) => {
        const answer = await ann.request('POST', own, { body })
        expectStatus(answer, 201)
        return answer.body as { token: string; metadata: { name: string } }
      }
      const kept = await token({})
      await expect.poll(() => opens(elsewhere, things.path, { transport, token: kept.token })).toBe(true)
      using first = await elsewhere.watch(things.path, { transport, token: kept.token })
      using second = await beforeExpiry(async (expiresAt) =>
        elsewhere.watch(things.path, { transport, token: (await token({ expiresAt })).token }),
      )
      using third = await elsewhere.watch(things.path, { transport, token: ann.token })
      expectStatus(await ann.request('DELETE', `${own}/${kept.metadata.name}`), 200)
      await expectEnd(first, 401)
      await expectEnd(second, 401)
      expect(third.lines()).toEqual([])
    })

    test('C6-14 a slow reader is closed with 429 and can resume from the last revision without a gap', async () => {
      const things = await api.model()
      using watching = await api.watch(things.path, { transport })
      const names = Array.from({ length: 80 }, () => freshName())
      using fast = await api.watch(things.path, { transport })
      await things.created({ name: 'seen' })
      await watching.until(1)
      watching.pause()
      for (const name of names) await things.created({ name, spec: { note: 'x'.repeat(200_000) } })
      // The server has then queued every event for the slow reader too.
      await fast.until(81)
      watching.resume()
      const { object, revision } = await watching.frame('ERROR')
      expect(object).toMatchObject({ status: 429, reason: 'TooManyRequests' })
      await watching.ended
      const got = watching.lines().slice(0, -1)
      expect(got.length).toBeLessThan(81)
      expect(watching.events.at(-2)?.revision).toBe(revision)
      using rest = await api.watch(`${things.path}?revision=${revision}`, { transport })
      await rest.until(81 - got.length)
      expect([...got, ...rest.lines()]).toEqual(['seen', ...names].map((name) => `ADDED ${name}`))
    })

    test('C6-15 objects of any allowed size are delivered, however slowly the client reads', async () => {
      const things = await api.model()
      const { revision } = await things.listed()
      const stored = await things.created({ name: 'large', spec: { note: 'x'.repeat(1_000_000) } })
      for (let at = 0; at < 19; at++) {
        await things.updated('large', sentBack(stored, { spec: { note: `${at}${'x'.repeat(1_000_000)}` } }))
      }
      using watching = await api.watch(`${things.path}?revision=${revision}`, { transport })
      for (let at = 0; at < 20; at++) {
        watching.pause()
        await sleep(20)
        watching.resume()
        await sleep(20)
      }
      expect(await watching.until(20)).toEqual(['ADDED large', ...Array.from({ length: 19 }, () => 'MODIFIED large')])
    })

    test('C6-15 a client that reads receives any number of concurrent events', async () => {
      const things = await api.model()
      using watching = await api.watch(things.path, { transport })
      const names = Array.from({ length: 90 }, () => freshName())
      const note = 'x'.repeat(60_000)
      await Promise.all(names.map((name) => things.created({ name, spec: { note } })))
      expect((await watching.until(90)).toSorted()).toEqual(names.map((name) => `ADDED ${name}`).toSorted())
      expect((await things.send('DELETE', { all: 'true' })).status).toBe(200)
      const events = await watching.until(180)
      expect(events.slice(90).toSorted()).toEqual(names.map((name) => `DELETED ${name}`).toSorted())
    })

    test('C6-19 a watch returns changes that another replica commits', async () => {
      const things = await api.model()
      const elsewhere = await api.replica()
      await expect.poll(() => opens(elsewhere, things.path, { transport })).toBe(true)
      using watching = await elsewhere.watch(things.path, { transport })
      const name = freshName()
      await things.created({ name })
      expect(await watching.until(1)).toEqual([`ADDED ${name}`])
    })

    test("C7-78 a watch with a cookie requires the server's own origin", async () => {
      const things = await api.model()
      const ann = await person(api, { hasPassword: true, roles: [await watchers(api, things)] })
      const signedIn = await login(api, { username: ann.name })
      const [cookie = ''] = String(signedIn.headers['set-cookie']).split(';')
      const opened = (headers: object) =>
        opens(api, things.path, { transport, as: 'anonymous', headers: { cookie, ...headers } })
      await expect.poll(() => opened({ origin: api.origin() })).toBe(true)
      expect(await opened({ 'sec-fetch-site': 'same-origin' })).toBe(true)
      expect(await opened({})).toBe('403 CrossSite')
      expect(await opened({ origin: 'https://other.example.com' })).toBe('403 CrossSite')
      expect(await opened({ 'sec-fetch-site': 'same-site' })).toBe('403 CrossSite')
      expect(await opened({ 'sec-fetch-site': 'none' })).toBe('403 CrossSite')
    })
  })

  test('C6-17 a caller has at most watch.maxPerUser streams on a replica; closing one frees its place', async () => {
    const things = await api.model()
    const ann = await person(api, { roles: [await watchers(api, things)] })
    const options = { token: ann.token }
    await expect.poll(() => opens(api, things.path, options)).toBe(true)
    await sleep(100)
    const opened = await Promise.all(Array.from({ length: 100 }, () => api.watch(things.path, options)))
    expect(await opens(api, things.path, options)).toBe('429 TooManyRequests')
    opened.pop()?.[Symbol.dispose]()
    await expect.poll(() => opens(api, things.path, options)).toBe(true)
    for (const watching of opened) watching[Symbol.dispose]()
  })

  test('C6-18 a selector on an index that is younger than the revision is reported as 410', async () => {
    const things = await api.model({ indexes: plainIndexes('spec.city'), composites: [] })
    const { revision } = await things.listed()
    await things.created({ spec: { note: 'a' } })
    await things.redefine({ indexes: plainIndexes('spec.city', 'spec.note'), composites: [] })
    const selector = 'fieldSelector=spec.note%3Da'
    await expect.poll(async () => (await things.send('GET', { fieldSelector: 'spec.note=a' })).status).toBe(200)
    using watching = await api.watch(`${things.path}?${selector}&revision=${revision}`)
    await expectEnd(watching, 410)
    using present = await api.watch(`${things.path}?${selector}&initial=true`)
    expect(await present.until(1)).toHaveLength(1)
  })

  test('S5-11 a GET that requests an upgrade, or whose Accept names event streams, requires the verb watch', async () => {
    const things = await api.model()
    const lister = await createRole(api, {
      rules: [{ apiGroups: [things.spec.group], resources: [things.spec.plural], verbs: ['list', 'get'] }],
    })
    const ann = await person(api, { roles: [lister] })
    await expect.poll(async () => (await ann.request('GET', things.path)).status).toBe(200)
    for (const transport of transports) {
      expect(await opens(api, things.path, { transport, token: ann.token })).toBe('403 Forbidden')
    }
    expectStatus(await ann.request('GET', things.path, { headers: { accept: '*/*' } }), 200)
  })

  test('S5-11 an upgrade that is not a WebSocket handshake is answered with a problem', async () => {
    const headers = { connection: 'upgrade', upgrade: 'websocket' }
    const refused = await api.request('GET', (await api.model()).path, { headers })
    expectStatus(refused, 400)
    expect(refused.headers['content-type']).toContain('application/problem+json')
    expect(refused.body).toMatchObject({ detail: expect.stringContaining('Sec-WebSocket-Key') })
  })

  test('C3-74 C3-75 a watch from the revision of a list returns the changes after the list', async () => {
    const things = await api.model()
    let stop = false
    const writing = [0, 1, 2].map(async (lane) => {
      for (let at = 0; !stop; at++) await things.created({ name: `w${lane}-${at}` })
    })
    // Sequentially: a caller may have only two unbounded lists in flight.
    const lists: Awaited<ReturnType<typeof things.listed>>[] = []
    for (let count = 0; count < 8; count++) lists.push(await things.listed())
    stop = true
    await Promise.all(writing)
    const all = await things.listed()
    for (const { items, revision } of lists) {
      using watching = await api.watch(`${things.path}?revision=${revision}`)
      const missing = all.items.length - items.length
      await watching.until(missing)
      const seen = [...items.map(({ metadata }) => metadata.name), ...namesOf(watching)]
      expect(seen.toSorted()).toEqual(all.items.map(({ metadata }) => metadata.name).toSorted())
    }
  })

  test('C6-3 initial objects of many pages, followed by concurrent changes, result in the stored state', async () => {
    const things = await api.model()
    // Large enough that the pages have to wait for the reader.
    const note = 'x'.repeat(3_000)
    const names = Array.from({ length: 1_200 }, (_, at) => `p-${String(at).padStart(4, '0')}`)
    for (let at = 0; at < names.length; at += 40) {
      await Promise.all(names.slice(at, at + 40).map((name) => things.created({ name, spec: { age: 0, note } })))
    }
    let stop = false
    const writing = [0, 1].map(async (lane) => {
      for (let at = 1; !stop; at++) {
        const name = names[(at * 7 + lane * 600) % names.length] ?? ''
        if (at % 5 === 0) await things.delete(name)
        else await things.patch(name, { spec: { age: at % 200 } })
      }
    })
    using watching = await api.watch(`${things.path}?initial=true`)
    await watching.frame('BOOKMARK')
    await sleep(300)
    stop = true
    await Promise.all(writing)
    await things.created({ name: 'last' })
    await expect.poll(() => watching.lines().at(-1)).toBe('ADDED last')
    const state = new Map<string, number>()
    const seen = new Map<string, number>()
    for (const { type, object } of watching.events) {
      const { name = '', version = 0, uid = '' } = object?.metadata ?? {}
      expect(version, `${type} ${name}`).toBeGreaterThan(seen.get(uid) ?? -1)
      expect(type === 'ADDED', `${type} ${name} ${version}`).toBe(!state.has(name))
      seen.set(uid, version)
      if (type === 'DELETED') state.delete(name)
      else state.set(name, version)
    }
    const { items } = await things.listed()
    const stored = new Map(items.map(({ metadata }) => [metadata.name, metadata.version]))
    expect(state).toEqual(stored)
  })

  test('C6-16 a server that stops sends 503 Draining, and the client can resume elsewhere', async () => {
    const things = await api.model()
    using watching = await api.watch(things.path)
    using events = await api.watch(things.path, { transport: 'event stream' })
    await things.created()
    await watching.until(1)
    await events.until(1)
    await api.restart()
    for (const stream of [watching, events]) {
      expect((await stream.frame('ERROR')).object).toMatchObject({ status: 503, reason: 'Draining' })
    }
    expect(await watching.ended).toBe(4503)
    const { revision } = await watching.frame('ERROR')
    const name = freshName()
    await things.created({ name })
    using later = await api.watch(`${things.path}?revision=${revision}`)
    expect(await later.until(1)).toEqual([`ADDED ${name}`])
  })
})

function namesOf(watching: Watching): readonly string[] {
  return watching.events.map(({ object }) => object?.metadata.name ?? '')
}

/** Returns true when the watch opens, otherwise status and reason. */
async function opens(at: Pick<Api, 'watch'>, path: string, options: Parameters<Api['watch']>[1]): Promise<unknown> {
  try {
    using _ = await at.watch(path, options)
    return true
  } catch (error) {
    return error instanceof Refused ? `${error.status} ${error.body.reason}` : error
  }
}
