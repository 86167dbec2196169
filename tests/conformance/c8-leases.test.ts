import { expect, test } from 'vitest'
import { another, install, phaseIs, plugins, restart, todos } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { once, onEachEngine, type Api } from './server.ts'

/** Forwards the given request to the host and returns the host's response. */
const answer = `async (request, response, ask) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const { path, ...options } = JSON.parse(text)
  const caller = options.inTheNameOfCaller && { 'pergola-caller-token': request.headers['pergola-caller-token'] }
  delete options.inTheNameOfCaller
  return response.setHeader('content-type', 'application/json').end(JSON.stringify(await ask(path, { ...options, ...caller })))
}`
const share = '/apis/uc.api.todo.example.com/v1alpha1/todos/-/share'
const status = { 'content-type': 'application/merge-patch+json' }

interface Answered {
  readonly status: number
  readonly body: Record<string, unknown>
}

onEachEngine((api) => {
  const installed = once(async () => {
    expectStatus(await install(api, { answer }), 201)
    await phaseIs(api, { phase: 'Started' })
  })
  /** The host's response to a request that the plugin sends as itself. */
  const asPlugin = async (line: string, options: object = {}, on: Pick<Api, 'request'> = api): Promise<Answered> => {
    await installed()
    const [method, path] = line.split(' ')
    const answered = await on.request('POST', share, { body: { method, path, ...options } })
    expectStatus(answered, 200)
    return answered.body as Answered
  }
  const take = (name: string, on?: Pick<Api, 'request'>) =>
    asPlugin(`PUT /pergola/leases/${name}`, { body: { seconds: 60 } }, on)
  const token = async (name: string) => {
    const taken = await take(name)
    expect(taken).toMatchObject({ status: 200, body: { lease: name } })
    return Number(taken.body['token'])
  }
  const create = (name: string, fence?: string) =>
    asPlugin(`POST ${todos}`, {
      body: { metadata: { name }, spec: { title: 'x' } },
      ...(fence !== undefined && { 'pergola-fence': fence }),
    })

  test('C8-503 the host knows a plugin from the start of its process, and says that it is not started yet', async () => {
    const path = '/apis/api.eager.example.com/v1alpha1/early'
    const definition = another('eager', { routes: [{ audience: 'public', method: 'GET', path }] })
    // Asks before it listens, so before it is healthy.
    const asks = `await (async () => {
      const early = await ask('/pergola/leases/early', { method: 'PUT', body: { seconds: 60 } })
      const told = JSON.stringify({ ...early, pid: process.pid })
      return (request, response) => response.setHeader('content-type', 'application/json').end(told)
    })()`
    expectStatus(await install(api, { definition, answer: asks }), 201)
    await phaseIs(api, { phase: 'Started' }, 'eager')
    const { body } = await api.request('GET', path)
    expect(body).toMatchObject({ status: 503, body: { reason: 'PluginNotStarted' } })
    expectStatus(await api.request('POST', '/apis/console.api.platform.run/v1alpha1/plugins/eager/restart'), 200)
    // Each process answers with what it was told: both the first, until it leaves, and the second.
    const answers = new Set<unknown>()
    await expect
      .poll(async () => {
        const told = (await api.request('GET', path)).body as { readonly pid: number; readonly status: number }
        answers.add(told.pid)
        expect(told).toMatchObject({ status: 503 })
        return answers.size
      })
      .toBe(2)
  })

  test('C8-300 a plugin acquires a lease by name for up to 300 seconds, and the same process renews it', async () => {
    const first = await token('one')
    expect(first).toBeGreaterThan(0)
    expect(await token('one')).toBe(first)
    for (const seconds of [0, 301, 1.5, 'x']) {
      expect((await asPlugin('PUT /pergola/leases/one', { body: { seconds } })).status).toBe(422)
    }
    for (const name of ['1', 'a_b', 'a'.repeat(64)]) expect((await take(name)).status).toBe(400)
    expect((await take('a'.repeat(63))).status).toBe(200)
  })

  test('C8-301 a process holds the lease: the next process acquires it at once, with a higher token', async () => {
    const first = await token('two')
    await restart(api)
    expect(await token('two')).toBeGreaterThan(first)
  })

  test('C8-302 a write with the token of a lease that has passed on is 409 FenceLost, whatever its verb', async () => {
    const old = await token('three')
    expect((await create('fenced', `three/${old}`)).status).toBe(201)
    await asPlugin('DELETE /pergola/leases/three')
    expect(await token('three')).toBeGreaterThan(old)
    const fence = { 'pergola-fence': `three/${old}` }
    const body = { metadata: { name: 'fenced' }, spec: { title: 'stale' } }
    for (const [line, sent] of [
      [`POST ${todos}`, { body: { metadata: { name: 'stale' }, spec: {} } }],
      [`PUT ${todos}/fenced`, { body }],
      [`PATCH ${todos}/fenced`, { body: { spec: { title: 'stale' } }, ...status }],
      [`DELETE ${todos}/fenced`, {}],
      [`DELETE ${todos}?all=true`, {}],
    ] as const) {
      expect([line, await asPlugin(line, { ...sent, ...fence })]).toMatchObject([
        line,
        { status: 409, body: { reason: 'FenceLost' } },
      ])
    }
    expectStatus(await api.request('GET', `${todos}/stale`), 404)
    expect((await api.request('GET', `${todos}/fenced`)).body).toMatchObject({ spec: { title: 'x' } })
  })

  test('C8-303 a write with the token of a released lease is 409 FenceLost', async () => {
    const held = await token('four')
    expect((await asPlugin('DELETE /pergola/leases/four')).status).toBe(200)
    expect((await asPlugin('DELETE /pergola/leases/four')).status).toBe(200)
    expect(await create('given-back', `four/${held}`)).toMatchObject({ status: 409, body: { reason: 'FenceLost' } })
  })

  test('C8-304 Pergola-Fence is 400 unless it is well-formed and on a write that a plugin makes as itself', async () => {
    const held = await token('five')
    const headers = { 'pergola-fence': `five/${held}` }
    expectProblem(await api.request('DELETE', `${todos}/nothing`, { headers }), 400, 'BadRequest')
    for (const [line, options] of [
      [`DELETE ${todos}/nothing`, { ...headers, inTheNameOfCaller: true }],
      [`GET ${todos}`, headers],
      [`DELETE ${todos}/nothing`, { 'pergola-fence': 'five' }],
      [`DELETE ${todos}/nothing`, { 'pergola-fence': `plugin/todo/five/${held}` }],
      [`POST ${share}`, { ...headers, body: {} }],
    ] as const) {
      expect([line, await asPlugin(line, options)]).toMatchObject([line, { status: 400 }])
    }
  })

  test('C8-305 only plugins can use leases and schedules, on their own socket and as themselves', async () => {
    const path = '/pergola/leases/six'
    expectStatus(await api.request('PUT', path, { body: { seconds: 5 } }), 404)
    const named = { body: { seconds: 5 }, inTheNameOfCaller: true }
    expect(await asPlugin(`PUT ${path}`, named)).toMatchObject({ status: 403, body: { reason: 'Forbidden' } })
    expect((await asPlugin('GET /pergola/leases/six')).status).toBe(405)
    expect((await asPlugin('GET /pergola/other/six')).status).toBe(404)
  })

  test('C8-306 the status contains last run, error and next run of a schedule, which only the holder of its lease writes', async () => {
    const held = await token('nightly')
    const path = '/pergola/schedules/nightly'
    const body = { lastRun: '2030-01-01T03:00:00.000Z', lastError: 'no', nextRun: '2030-01-02T03:00:00.000Z' }
    const write = (fence: object, sent: object = body) => asPlugin(`PUT ${path}`, { body: sent, ...fence })
    expect(await asPlugin(`GET ${path}`)).toEqual({ status: 200, body: {} })
    expect((await write({})).status).toBe(400)
    expect((await write({ 'pergola-fence': `five/${await token('five')}` })).status).toBe(400)
    expect((await write({ 'pergola-fence': `nightly/${held + 1}` })).body).toMatchObject({ reason: 'FenceLost' })
    expect((await write({ 'pergola-fence': `nightly/${held}` }, { lastRun: 'yesterday' })).status).toBe(422)
    expect((await write({ 'pergola-fence': `nightly/${held}` })).status).toBe(200)
    await restart(api)
    const { body: plugin } = await api.request('GET', `${plugins}/todo`)
    expect(plugin).toMatchObject({ status: { phase: 'Started', schedules: [{ name: 'nightly', ...body }] } })
    expect(await asPlugin(`GET ${path}`)).toEqual({ status: 200, body })
  })

  // Must run last: it starts a second process of the plugin. SQLite allows only one host.
  if (api.engine === 'SQLite') return
  test('C8-301 a lease that a process on another replica holds is 409 InUse', async () => {
    const held = await token('seven')
    const other = await api.replica()
    const ask = { body: { method: 'PUT', path: '/pergola/leases/seven', body: { seconds: 60 } } }
    const isUp = async () => (await other.request('POST', share, ask)).status
    await expect.poll(isUp).toBe(200)
    const { body } = await other.request('POST', share, ask)
    expect(body).toMatchObject({ status: 409, body: { reason: 'InUse' } })
    await asPlugin('DELETE /pergola/leases/seven')
    expect(await take('seven', other)).toMatchObject({ status: 200, body: { token: held + 1 } })
    expect(await create('taken-over', `seven/${held}`)).toMatchObject({ status: 409, body: { reason: 'FenceLost' } })
  })
})
