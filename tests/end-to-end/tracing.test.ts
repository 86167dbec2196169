import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import type { Client } from '@pergola/client'
import { traceShare } from '../../packages/plugin-sdk/src/run/trace-run.ts'
import { exportTraces } from '../../packages/server/src/base/trace-exporter.ts'
import { traceIn } from '../../packages/server/src/base/trace-parent.ts'
import { recordRun } from '../../packages/server/src/base/tracing.ts'
import { packedFiles } from './packed-source.ts'
import { startHost } from './plugin-host.ts'
import { pluginPackage, todoDefinition } from './plugin-package.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly status: { readonly message?: string }
}

/** A collector that accepts spans as JSON. */
async function startCollector() {
  const spans: Span[] = []
  const accept = async (request: IncomingMessage, response: ServerResponse) => {
    const { resourceSpans = [] } = JSON.parse(await text(request)) as {
      resourceSpans?: { scopeSpans: { spans: Span[] }[] }[]
    }
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
    response.end('{}')
  }
  const server = createServer((request, response) => {
    void accept(request, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { spans, url: `http://127.0.0.1:${port}/v1/traces`, [Symbol.dispose]: () => void server.close() }
}

test('a request is one trace: its decision, its statements, and the call of a plugin, which gets the trace', async () => {
  using collector = await startCollector()
  await using host = await startHost('SQLite')
  const exporting = exportTraces({ url: collector.url, sampling: 1, replica: 'east' })
  const path = '/apis/api.todo.example.com/v1alpha1/told'
  const definition = { ...todoDefinition, routes: [{ audience: 'public' as const, method: 'GET' as const, path }] }
  const answer = `(request, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(request.headers.traceparent))`
  expect((await host.install(pluginPackage({ definition, answer }))).status).toBe(201)
  await host.phaseIs('todo', { phase: 'Started' })

  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const traceparent = `00-${traceId}-00f067aa0ba902b7-00`
  const send = (at: string) =>
    fetch(`${host.url}${at}`, { headers: { traceparent, authorization: `Bearer ${host.admin}` } })
  const told = String(await (await send(path)).json())
  expect((await send('/api/v1alpha1/roles')).status).toBe(200)
  await exporting[Symbol.asyncDispose]()
  const found = collector.spans.filter((span) => span.traceId === traceId)
  const named = (name: string) => found.find((span) => span.name === name)
  expect(found.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['list told.api.todo.example.com', 'plugin', 'list roles.', 'decide', 'list']),
  )
  expect(told).toBe(`00-${traceId}-${named('plugin')?.spanId}-01`)
  expect(named('plugin')?.parentSpanId).toBe(named('list told.api.todo.example.com')?.spanId)
  expect(named('list')?.parentSpanId).toBe(named('list roles.')?.spanId)
  expect(named('list roles.')?.parentSpanId).toBe('00f067aa0ba902b7')
})

const greeting = `
import { controller, defineModel, definePlugin, t } from '@pergola/plugin-sdk'
const Guest = defineModel({
  apiVersion: 'greeting.example.com/v1', kind: 'Guest', plural: 'guests', statusSubresource: true,
  spec: t.Object({}), status: t.Object({ greeted: t.Optional(t.Boolean()) }),
})
let failures = 0
const greet = controller(Guest, async (guest, { client }) => {
  if (failures++ === 0) throw new Error('not yet')
  if (!guest.status?.greeted) await client(Guest).updateStatus(guest, { greeted: true })
})
export default definePlugin({ name: 'greeting', models: [Guest], controllers: { greet } })
`

test('a run of a controller is one trace, with the requests that it sends', async () => {
  using collector = await startCollector()
  await using host = await startHost('SQLite')
  await using _ = exportTraces({ url: collector.url, sampling: 1, replica: 'east' })
  const about = { name: 'greeting', version: '1.0.0', license: 'Apache-2.0', type: 'module' }
  const files = { 'package.json': JSON.stringify(about), 'tsconfig.json': '{}', 'src/plugin.ts': greeting }
  expect((await host.install(await packedFiles(files))).status).toBe(201)
  await host.phaseIs('greeting', { phase: 'Started' })
  const guests = 'POST /apis/greeting.example.com/v1/guests'
  const guest = { apiVersion: 'greeting.example.com/v1', kind: 'Guest', metadata: { name: 'ann' }, spec: {} }
  expect((await host.send(guests, { token: host.admin, body: guest })).status).toBe(201)
  const runs = () => collector.spans.filter(({ name }) => name === 'run greet')
  const written = () => collector.spans.find(({ name }) => name === 'update guests.greeting.example.com')
  await vi.waitFor(() => expect([runs().length > 1, written()?.name]).toEqual([true, expect.any(String)]), 60_000)
  expect(runs().map(({ status }) => status.message)).toContain('Error: not yet')
  expect(runs()).toContainEqual(
    expect.objectContaining({ traceId: written()?.traceId, spanId: written()?.parentSpanId, status: { code: 0 } }),
  )
})

test('a plugin tells only of runs whose traces the server records', async () => {
  using collector = await startCollector()
  const sampling = 0.2
  const exporting = exportTraces({ url: collector.url, sampling, replica: 'east' })
  const told: string[] = []
  const client = {
    call: async ({ body }: { readonly body: { readonly traceparent: string } }) => void told.push(body.traceparent),
  } as unknown as Client
  const traceRun = traceShare(sampling, client)
  const runs = 1_000
  for (let run = 0; run < runs; run++)
    await traceRun(
      'greet',
      () => client,
      async () => {},
    )
  for (const traceparent of told) {
    const trace = traceIn({ traceparent })
    if (trace) recordRun({ plugin: 'greeting', name: 'greet', trace, start: 0, end: 1 })
  }
  await exporting[Symbol.asyncDispose]()
  expect(collector.spans).toHaveLength(told.length)
  expect(Math.abs(told.length / runs - sampling)).toBeLessThan(0.1)
})
