import { beforeAll, describe, expect, test } from 'vitest'
import {
  can,
  controller,
  defineModel,
  definePlugin,
  defineSettings,
  owned,
  roleTemplate,
  route,
  schedule,
  secret,
  t,
} from '../index.ts'
import { loadServer, type ServerModule } from './embedded-server.ts'
import { testHost } from './index.ts'

// The server is loaded from its sources, which are compiled on first use.
beforeAll(loadServer, 90_000)

const Job = defineModel({
  apiVersion: 'jobs.example.com/v1',
  kind: 'Job',
  plural: 'jobs',
  spec: t.Object({ waitMs: t.Optional(t.Integer()), owner: t.Optional(t.String()) }),
  indexes: ['spec.owner'],
})

type Parts = Pick<Parameters<typeof definePlugin>[0], 'controllers' | 'schedules'>

function jobs(parts: Parts) {
  return definePlugin({ name: 'jobs', models: [Job], ...parts })
}

const now = '2030-01-01T00:00:00Z'

describe('advance', () => {
  test('runs a schedule at each of its times and waits for each run', async () => {
    const ran: string[] = []
    const hourly = schedule({ cron: '0 * * * *' }, async ({ clock, client }) => {
      await client(Job).create({}, { name: `job-${ran.length}` })
      ran.push(clock.iso())
    })
    await using host = await testHost(jobs({ schedules: { hourly } }), { now })
    await host.advance('90m')
    expect(ran).toEqual(['2030-01-01T01:00:00.000Z'])
    await host.advance('2h')
    expect(ran).toEqual([1, 2, 3].map((hour) => `2030-01-01T0${hour}:00:00.000Z`))
    const admin = await host.user('boss', ['super-administrator'])
    expect(await admin.client(Job).list().total()).toBe(3)
  })

  test('reconciles every object before time passes, and requeues each at its own time', async () => {
    const seen: string[] = []
    const watch = controller(Job, async ({ metadata, spec }, { clock, requeueAfter }) => {
      seen.push(`${metadata.name} ${clock.iso().slice(11, 23)}`)
      if (clock.now() === Date.parse(now)) requeueAfter(spec.waitMs ?? 0)
    })
    await using host = await testHost(jobs({ controllers: { watch } }), { now })
    const { client } = await host.user('boss', ['super-administrator'])
    await client(Job).create({ waitMs: 2_000 }, { name: 'second' })
    await client(Job).create({ waitMs: 1_000 }, { name: 'first' })
    await host.advance('10s')
    expect(seen.toSorted()).toEqual([
      'first 00:00:00.000',
      'first 00:00:01.000',
      'second 00:00:00.000',
      'second 00:00:02.000',
    ])
  })

  test('retries failed objects after their backoff', async () => {
    let calls = 0
    const flaky = controller(Job, async () => {
      if (++calls < 3) throw new Error('planted')
    })
    await using host = await testHost(jobs({ controllers: { flaky } }), { now })
    const { client } = await host.user('boss', ['super-administrator'])
    await client(Job).create({})
    await host.advance('0.001s')
    expect(calls).toBe(1)
    await host.advance('1s')
    expect(calls).toBe(3)
  })

  test('runs a controller and a schedule that are due at the same instant', async () => {
    const ran: string[] = []
    const close = controller(Job, async (job, { clock, client, requeueAfter }) => {
      const wait = Date.parse('2030-01-01T01:00:00Z') - clock.now()
      if (wait > 0) return requeueAfter(wait)
      if (job.spec.owner !== 'done') await client(Job).update(job.metadata.name, ({ spec }) => (spec.owner = 'done'))
    })
    const tick = schedule({ every: '15m' }, async ({ clock }) => void ran.push(clock.iso().slice(11, 16)))
    await using host = await testHost(jobs({ controllers: { close }, schedules: { tick } }), { now })
    const { client } = await host.user('boss', ['super-administrator'])
    await client(Job).create({}, { name: 'one' })
    await host.advance('50m')
    await host.advance('30m')
    expect(ran).toEqual(['00:15', '00:30', '00:45', '01:00', '01:15'])
    expect((await client(Job).get('one')).spec.owner).toBe('done')
  })

  test('fails when a controller asks to run again at once without end', async () => {
    const busy = controller(Job, async (_job, { requeueAfter }) => requeueAfter(0))
    await using host = await testHost(jobs({ controllers: { busy } }), { now })
    const { client } = await host.user('boss', ['super-administrator'])
    await client(Job).create({})
    await expect(host.advance('1s')).rejects.toThrow('the plugin was not idle after 10 s')
  })

  test('rejects a negative duration', async () => {
    await using host = await testHost(jobs({}))
    await expect(host.advance('-1h')).rejects.toThrow('"-1h" is not a duration')
  })
})

describe('settings', () => {
  const Settings = defineSettings(t.Object({ url: t.String({ format: 'uri' }), key: t.Optional(secret()) }))
  const all = roleTemplate('all', { displayName: 'All', aggregateTo: ['anonymous'] })
  const show = route('GET /jobs/-/settings', { allow: all, response: t.Array(t.String()) }, ({ settings }) => {
    const { url, key = '' } = settings(Settings)
    return [url, key]
  })
  const send = route('GET /jobs/-/answer', { allow: all, response: t.String() }, async ({ settings }) =>
    (await fetch(settings(Settings).url)).text(),
  )
  const plugin = definePlugin({ name: 'jobs', models: [Job], settings: Settings, roles: [all], public: [show, send] })

  test('are read from the stored settings, including secrets', async () => {
    await using host = await testHost(plugin, { settings: { url: 'https://a.test/', key: 'k1' } })
    expect(await host.anonymous.call(show)).toEqual(['https://a.test/', 'k1'])
  })

  test('are validated', async () => {
    await expect(testHost(plugin, { settings: { url: 'nowhere' } })).rejects.toMatchObject({ reason: 'Invalid' })
  })

  test('may point at a server that `outside` simulates', async () => {
    const outside = (request: Request) => new Response(`hello ${request.method}`)
    await using host = await testHost(plugin, { settings: { url: 'https://a.test/' }, outside })
    expect(await host.anonymous.call(send)).toBe('hello GET')
    expect(host.sent('https://a.test')).toMatchObject([{ method: 'GET', url: 'https://a.test/', body: '' }])
    expect(host.sent('https://b.test')).toEqual([])
  })

  test('do not change the global fetch after the host is closed', async () => {
    const before = globalThis.fetch
    const host = await testHost(plugin, { settings: { url: 'https://a.test/' } })
    expect(globalThis.fetch).not.toBe(before)
    await host[Symbol.asyncDispose]()
    expect(globalThis.fetch).toBe(before)
  })

  test('are separate for hosts that run at the same time', async () => {
    await using one = await testHost(plugin, { settings: { url: 'https://a.test/' } })
    await using other = await testHost(plugin, { settings: { url: 'https://b.test/' } })
    expect(await one.anonymous.call(show)).toEqual(['https://a.test/', ''])
    expect(await other.anonymous.call(show)).toEqual(['https://b.test/', ''])
  })
})

describe('dependencies', () => {
  const all = roleTemplate('all', { displayName: 'All', aggregateTo: ['anonymous'] })
  const count = route('GET /reports/-/jobs', { allow: all, response: t.Integer() }, ({ client }) =>
    client(Job).list().total(),
  )
  const Post = defineModel({
    apiVersion: 'content.platform.run/v1alpha1',
    kind: 'Post',
    plural: 'posts',
    spec: t.Object({ title: t.String() }),
  })
  const needsJobs = definePlugin({
    name: 'reports',
    api: 'reports.example.com/v1',
    dependencies: { jobs: '^2.1.0' },
    permissions: [can(['list'], Job)],
    roles: [all],
    public: [count],
  })

  test('that are missing fail at once with what to pass', async () => {
    await expect(testHost(needsJobs)).rejects.toThrow(
      'the plugin "reports" depends on the plugin "jobs"; pass its definition, or its name if it ships with the host: testHost(plugin, { with: [jobs] })',
    )
  })

  test('run beside the plugin, on the same clock', async () => {
    const tick = schedule({ every: '15m' }, async ({ client }) => void (await client(Job).create({})))
    await using host = await testHost(needsJobs, { now, with: [jobs({ schedules: { tick } })] })
    expect(await host.anonymous.call(count)).toBe(0)
    await host.advance('30m')
    expect(await host.anonymous.call(count)).toBe(2)
  })

  test('that ship with the host are given by name', async () => {
    const needsContent = definePlugin({ name: 'reports', models: [Job], dependencies: { content: '^1.0.0' } })
    await using host = await testHost(needsContent, { with: ['content'] })
    const { client } = await host.user('boss', ['super-administrator'])
    expect(await client(Post).list().total()).toBe(0)
    await expect(testHost(needsContent, { with: ['content', 'contents'] })).rejects.toThrow(
      'no plugin "contents" ships with the host; those are: content',
    )
  })

  test('of a version that the host does not have fail with the reason', async () => {
    const newer = definePlugin({ name: 'reports', models: [Job], dependencies: { content: '^9.0.0' } })
    await expect(testHost(newer, { with: ['content'] })).rejects.toThrow('it needs the plugin content of ^9.0.0')
  })
})

test('calling a route that the plugin does not serve fails', async () => {
  await using host = await testHost(jobs({}))
  const stray = route('GET /jobs/-/stray', {}, () => ({}))
  await expect(async () => host.anonymous.call(stray)).rejects.toThrow(
    'GET /jobs/-/stray is no route of the plugin "jobs"; name it in definePlugin',
  )
})

test('open returns responses that are not JSON or do not end', async () => {
  const all = roleTemplate('all', { displayName: 'All', aggregateTo: ['authenticated'] })
  const ended = Promise.withResolvers<string>()
  const ticks = route(
    'GET /jobs/-/ticks',
    { allow: all, stream: true, produces: 'text/event-stream' },
    async function* ({ signal }) {
      yield 'data: one\n\n'
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      ended.resolve('whoever listened is gone')
    },
  )
  const echo = route(
    'POST /jobs/-/echo',
    { allow: all, body: t.Object({ text: t.String() }), produces: 'text/plain' },
    ({ body, caller }) => new Response(`${caller.name}: ${body.text}`),
  )
  const plugin = definePlugin({ name: 'jobs', models: [Job], roles: [all], public: [ticks, echo] })
  await using host = await testHost(plugin)
  const ann = await host.user('ann')
  const opened = await ann.open(echo, { body: { text: 'hello' } })
  expect(await opened.text()).toBe('ann: hello')
  const { status, body } = await ann.open(ticks)
  const reader = body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  expect([status, new TextDecoder().decode(value)]).toEqual([200, 'data: one\n\n'])
  await reader?.cancel()
  expect(await ended.promise).toBe('whoever listened is gone')
  expect((await host.anonymous.open(ticks)).status).toBe(401)
})

test('an invalid definition is rejected before the host starts', async () => {
  const unknown = roleTemplate('own', { displayName: 'Own' })
  const plugin = definePlugin({
    name: 'jobs',
    models: [Job],
    uc: [owned(Job, 'spec.owner', { allow: [{ to: unknown, verbs: '*' }] })],
  })
  await expect(testHost(plugin)).rejects.toThrow('is not in roles of the plugin')
})

test('the module of the server has the type that a test host expects', async () => {
  const server: ServerModule = await import('@pergola/server')
  expect(await loadServer()).toBe(server)
})
