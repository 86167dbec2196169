import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { packedSource } from '../end-to-end/packed-source.ts'
import type { Connection } from './connecting.ts'
import { beforeExpiry, bind, cookieOf, core, expectSoon, person, type Person } from './people.ts'
import { installPackage, phaseIs, plugins } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { once, onEachEngine } from './server.ts'
import { Refused } from './watching.ts'

const base = '/apis/api.talking.example.com/v1'
const room = `${base}/rooms/hall/echo`
const packed = once(() => packedSource(join(import.meta.dirname, 'plugins/talking.ts')))
const merge = { 'content-type': 'application/merge-patch+json' }

/** Status and reason when the connection is rejected, otherwise `opened`. */
async function refusal(opening: Promise<Connection>): Promise<string> {
  try {
    using opened = await opening
    return opened.protocol === '' ? 'opened' : `opened ${opened.protocol}`
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return `${error.status} ${error.body.reason}`
  }
}

/** The result, or `nothing` after 10 s. */
function soon(promise: Promise<string>): Promise<string> {
  return Promise.race([promise, sleep(10_000, 'nothing', { ref: false })])
}

function endOf({ closed }: Connection): Promise<string> {
  return soon(closed)
}

/** The first message of the plugin: caller and headers of the request. */
async function welcome(opened: Connection): Promise<{ caller: string | null; headers: Record<string, string> }> {
  return JSON.parse(await opened.next()) as { caller: string | null; headers: Record<string, string> }
}

onEachEngine((api) => {
  const installed = once(async () => {
    expectStatus(await installPackage(api, await packed()), 201)
    await phaseIs(api, { phase: 'Started' }, 'talking')
  })
  /** A user who may open the stream, and the binding that grants it. */
  const listener = async (): Promise<Person & { readonly binding: string }> => {
    await installed()
    const ann = await person(api, { hasPassword: true })
    const binding = await bind(api, 'talking-listen', [ann.name])
    await expectSoon(async () => expect(await refusal(api.connect(room, { token: ann.token }))).toBe('opened'))
    return { ...ann, binding }
  }
  const seen = async () => (await api.request('GET', `${base}/seen`)).body as { begun: number; aborted: number }

  test('C8-335 a streaming route is a WebSocket with the verb watch; an unauthorized caller is rejected before the plugin is called', async () => {
    const ann = await listener()
    const before = await seen()
    expect(await refusal(api.connect(room, { token: undefined }))).toBe('401 Unauthenticated')
    const { token } = await person(api)
    expect(await refusal(api.connect(room, { token }))).toBe('403 Forbidden')
    expect(await refusal(api.connect(`${base}/ticks`, { token }))).toBe('403 Forbidden')
    expect(await seen()).toEqual(before)
    using opened = await api.connect(room, { token: ann.token })
    expect((await welcome(opened)).caller).toBe(ann.name)
  })

  test('C8-336 messages are forwarded in both directions, in the negotiated sub-protocol', async () => {
    await installed()
    using opened = await api.connect(room, { protocols: ['echo.v1', 'echo.v2'] })
    expect(opened.protocol).toBe('echo.v2')
    await welcome(opened)
    for (const message of ['hello', 'x'.repeat(300_000), '']) {
      opened.send(message)
      expect(await opened.next()).toBe(message)
    }
    opened.send('end')
    expect(await endOf(opened)).toBe('1000')
    expect(await refusal(api.connect(room, { protocols: ['other'] }))).toBe('400 BadRequest')
  })

  test('C8-337 the header rules for plugins and the cross-site check also apply to a WebSocket', async () => {
    const ann = await listener()
    const cookie = await cookieOf(api, ann.name)
    const hidden = { 'proxy-authorization': 'Basic eDp4', 'pergola-caller': 'admin' }
    const headers = { cookie, origin: api.origin(), ...hidden, 'x-own': 'kept' }
    using opened = await api.connect(room, { token: undefined, headers })
    const { caller, headers: got } = await welcome(opened)
    expect(caller).toBe(ann.name)
    expect(got).toMatchObject({ 'x-own': 'kept', 'pergola-caller': ann.name, origin: api.origin() })
    expect(got['pergola-request-id']).toBe(opened.headers['pergola-request-id'])
    for (const name of ['cookie', 'authorization', 'proxy-authorization']) expect(got).not.toHaveProperty(name)
    const elsewhere = { cookie, origin: 'https://elsewhere.example' }
    expect(await refusal(api.connect(room, { token: undefined, headers: elsewhere }))).toBe('403 CrossSite')
  })

  test('C8-338 when a plugin does not accept a WebSocket, the client gets its response', async () => {
    await installed()
    expect(await refusal(api.connect(`${base}/rooms/nowhere/echo`))).toBe('404 NotFound')
    expect(await refusal(api.connect(`${base}/ticks`))).toBe('400 BadRequest')
    expect(await refusal(api.connect(`${base}/seen`))).toBe('405 MethodNotAllowed')
  })

  describe('the end of a stream', () => {
    test('C8-339 when the right is revoked, a WebSocket ends with 1008 and an event stream is closed', async () => {
      const ann = await listener()
      using opened = await api.connect(room, { token: ann.token })
      await welcome(opened)
      const ticking = await api.open(`${base}/ticks`, { token: ann.token, accept: 'text/event-stream' })
      ticking.resume()
      const cut = new Promise<string>((resolve) =>
        ticking.once('close', () => resolve(ticking.complete ? 'whole' : 'cut')),
      )
      ticking.on('error', () => {})
      const elsewhere = await api.replica()
      expectStatus(await elsewhere.request('DELETE', `${core}/rolebindings/${ann.binding}`), 200)
      expect(await endOf(opened)).toBe('1008 Forbidden')
      expect(await soon(cut)).toBe('cut')
    })

    test('C8-340 a WebSocket ends with 1008 when the credential is revoked or expires', async () => {
      const ann = await listener()
      const own = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
      const token = async (body: object) => {
        const answer = await ann.request('POST', own, { body })
        expectStatus(answer, 201)
        return answer.body as { token: string; metadata: { name: string } }
      }
      const kept = await token({})
      using first = await api.connect(room, { token: kept.token })
      using second = await beforeExpiry(async (expiresAt) =>
        api.connect(room, { token: (await token({ expiresAt })).token }),
      )
      using third = await api.connect(room, { token: ann.token })
      await welcome(third)
      expectStatus(await ann.request('DELETE', `${own}/${kept.metadata.name}`), 200)
      expect(await endOf(first)).toBe('1008 Unauthenticated')
      expect(await endOf(second)).toBe('1008 Unauthenticated')
      third.send('still there')
      expect(await third.next()).toBe('still there')
    })

    test("C8-342 a WebSocket ends with 1011 when the plugin's process ends or its handler fails", async () => {
      await installed()
      using failing = await api.connect(room)
      await welcome(failing)
      failing.send('throw')
      expect(await endOf(failing)).toBe('1011 the plugin failed')
      using opened = await api.connect(room)
      await welcome(opened)
      using by = await api.connect(room)
      by.send('exit')
      expect(await endOf(opened)).toBe('1011 the plugin talking has exited')
      await phaseIs(api, { phase: 'Started' }, 'talking')
      await expectSoon(async () => expect(await refusal(api.connect(room))).toBe('opened'))
    })

    test('C8-343 a WebSocket ends with 1001 when the plugin is disabled', async () => {
      await installed()
      using opened = await api.connect(room)
      await welcome(opened)
      await api.request('PATCH', `${plugins}/talking`, { headers: merge, body: { spec: { enabled: false } } })
      expect(await endOf(opened)).toBe('1001 the plugin stops')
      await phaseIs(api, { phase: 'Disabled' }, 'talking')
      expect(await refusal(api.connect(room))).toBe('503 PluginNotStarted')
      await api.request('PATCH', `${plugins}/talking`, { headers: merge, body: { spec: { enabled: true } } })
      await phaseIs(api, { phase: 'Started' }, 'talking')
    })

    test('C8-344 a WebSocket ends with 1001 when the server stops', async () => {
      await installed()
      using opened = await api.connect(room)
      await welcome(opened)
      await api.restart()
      expect(await endOf(opened)).toBe('1001 the server is stopping')
      await phaseIs(api, { phase: 'Started' }, 'talking')
      await expectSoon(async () => expect(await refusal(api.connect(room))).toBe('opened'))
    })
  })

  test('C8-329 a handler is notified when the client disconnects', async () => {
    await installed()
    const before = await seen()
    const ticking = await api.open(`${base}/ticks?every=10`, { accept: 'text/event-stream' })
    await expect.poll(async () => (await seen()).begun).toBe(before.begun + 1)
    expect((await seen()).aborted).toBe(before.aborted)
    ticking.destroy()
    await expect.poll(async () => (await seen()).aborted).toBe(before.aborted + 1)
  })

  test('C8-349 80 open streams do not block other requests', async () => {
    await installed()
    const open = () => api.open(`${base}/ticks`, { accept: 'text/event-stream' })
    const opening = Promise.all(Array.from({ length: 80 }, open))
    const ticking = (await Promise.race([opening, sleep(10_000, [], { ref: false })])) as Awaited<typeof opening>
    expect(ticking.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 80 }, () => 200))
    expectStatus(await api.request('GET', `${base}/seen`), 200)
    for (const one of ticking) one.destroy()
  })

  test('C8-334 a streaming route and a plain route are not served as each other', async () => {
    await installed()
    const headers = { accept: 'text/event-stream' }
    expectProblem(await api.request('GET', `${base}/seen`, { headers }), 405, 'MethodNotAllowed')
    expectProblem(await api.request('GET', `${base}/ticks`), 405, 'MethodNotAllowed')
  })
})

onEachEngine(
  (api) => {
    test('C8-341 a stream counts as a watch: one more than `watch.maxPerUser` is 429', async () => {
      expectStatus(await installPackage(api, await packed()), 201)
      await phaseIs(api, { phase: 'Started' }, 'talking')
      using watching = await api.watch(`${core}/roles`)
      using opened = await api.connect(room)
      await welcome(opened)
      const ticking = await api.open(`${base}/ticks`, { accept: 'text/event-stream' })
      expect(ticking.statusCode).toBe(200)
      expect(await refusal(api.connect(room))).toBe('429 TooManyRequests')
      const headers = { accept: 'text/event-stream' }
      expectProblem(await api.request('GET', `${base}/ticks`, { headers }), 429, 'TooManyRequests')
      ticking.destroy()
      await expectSoon(async () => expect(await refusal(api.connect(room))).toBe('opened'))
      expect(watching.lines()).toEqual([])
    })
  },
  { env: { PERGOLA_WATCH_MAX_PER_USER: '3' } },
)
