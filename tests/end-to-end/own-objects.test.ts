import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engines, startHost, type PluginHost, type Sent } from './plugin-host.ts'

/** Users and their own objects in the todo example, packed by the command and installed on a server. */
const operations = Number(process.env['CASES'] ?? 1) * 100
const mine = '/apis/uc.api.todo.example.com/v1alpha1/todos'
const merging = 'application/merge-patch+json'

let packed: Buffer
beforeAll(() => {
  const out = mkdtempSync(join(tmpdir(), 'pergola-packed-'))
  const command = join(import.meta.dirname, '../../packages/cli/src/main.ts')
  const cwd = join(import.meta.dirname, '../../examples/todo')
  execFileSync(process.execPath, ['--conditions=@pergola/source', command, 'plugin', 'pack', '--out', out], { cwd })
  packed = readFileSync(join(out, 'todo-1.0.0.tgz'))
  rmSync(out, { recursive: true })
})

describe.each(engines)('on %s', (engine) => {
  let host: PluginHost
  let ann: string
  let bob: string
  beforeAll(async () => {
    host = await startHost(engine)
    await host.install(packed)
    await host.phaseIs('todo', { phase: 'Started' })
    ann = await host.user('ann')
    bob = await host.user('bob')
  })
  afterAll(() => host[Symbol.asyncDispose]())

  const create = (token: string, name: string, spec: object = {}) =>
    host.send(`POST ${mine}`, { token, body: { metadata: { name }, spec: { title: `of ${name}`, ...spec } } })

  test('a collection of own objects accepts GET and POST; other methods are 405 with Allow', async () => {
    for (const method of ['PUT', 'DELETE']) {
      const { status, body } = await host.send(`${method} ${mine}`, { token: host.admin, body: {} })
      expect(status).toBe(405)
      expect(body['detail']).toMatch(/allowed here: GET, HEAD, POST$/)
    }
  })

  test('the caller owns what it creates, whatever the body says; for other users the object is 404', async () => {
    expect((await create(ann, 'milk', { owner: 'bob' })).body['spec']).toMatchObject({ owner: 'ann' })
    expect((await host.send(`GET ${mine}/milk`)).status).toBe(401)
    const body = { spec: { title: 'stolen' } }
    const tried: readonly (readonly [method: string, sent: Sent])[] = [
      ['GET', {}],
      ['PUT', { body }],
      ['PATCH', { body, type: merging }],
      ['DELETE', {}],
    ]
    for (const [method, sent] of tried) {
      expect((await host.send(`${method} ${mine}/milk`, { token: bob, ...sent })).status).toBe(404)
    }
    expect((await host.send(`POST ${mine}/milk/share`, { token: bob })).status).toBe(404)
    expect((await host.send(`DELETE ${mine}`, { token: bob })).status).toBe(403)
    const given = await host.send(`PATCH ${mine}/milk`, { token: ann, type: merging, body: { spec: { owner: 'bob' } } })
    expect(given.body['spec']).toMatchObject({ owner: 'ann', title: 'of milk' })
    const shared = await host.send(`POST ${mine}/milk/share`, { token: ann })
    expect(shared).toMatchObject({ status: 200, body: { code: expect.stringMatching(/^[0-9a-f]{8}$/) as string } })
    const code = shared.body['code'] as unknown as string
    expect(await host.send(`GET /apis/api.todo.example.com/v1alpha1/shares/${code}`)).toEqual({
      status: 200,
      body: { title: 'of milk', state: 'open' },
    })
  })

  test('two users who act concurrently never see objects of each other', async () => {
    using watching = watchOwn(host.url, bob)
    await expect.poll(() => watching.opened()).toBe(true)
    const seen: string[] = []
    const person = async (token: string, sign: string) => {
      for (let at = 0; at < operations; at++) {
        const name = `${sign}-${at % 7}`
        const other = `${sign === 'a' ? 'b' : 'a'}-${at % 5}`
        const lines: readonly (readonly [string, object?])[] = [
          [`POST ${mine}`, { metadata: { name }, spec: { title: `secret of ${sign}` } }],
          [`PUT ${mine}/${name}`, { spec: { title: `secret of ${sign}`, owner: other } }],
          [`GET ${mine}/${other}`],
          [`GET ${mine}?sort=spec.due,desc&size=3`],
          [`GET ${mine}?fieldSelector=spec.owner=${sign === 'a' ? 'bob' : 'ann'}`],
          [`DELETE ${mine}/${at % 2 ? name : other}`],
          [`GET ${mine}`],
        ]
        const [line, body] = lines[Math.floor(Math.random() * lines.length)] ?? ['GET /livez']
        const answered = await host.send(line, { token, ...(body && { body }) })
        if (sign === 'b') seen.push(JSON.stringify(answered.body))
      }
    }
    await Promise.all([person(ann, 'a'), person(bob, 'b')])
    expect((await create(bob, 'last')).status).toBe(201)
    await expect.poll(() => watching.text()).toContain('of last')
    const shown = [...seen, watching.text()].join('\n')
    expect(shown).toContain('secret of b')
    expect(shown).not.toContain('secret of a')
  })
})

/** Records everything that a watch of own objects receives. */
function watchOwn(url: string, token: string) {
  const stop = new AbortController()
  const state = { text: '', opened: false }
  const run = async () => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const response = await fetch(`${url}${mine}?initial=true`, { headers, signal: stop.signal })
    state.opened = response.status === 200
    for await (const chunk of response.body ?? []) state.text += Buffer.from(chunk).toString()
  }
  void run().catch(() => {})
  return { opened: () => state.opened, text: () => state.text, [Symbol.dispose]: () => stop.abort() }
}
