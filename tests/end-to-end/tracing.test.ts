import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { exportTraces } from '../../packages/server/src/base/trace-exporter.ts'
import { startHost } from './plugin-host.ts'
import { pluginPackage, todoDefinition } from './plugin-package.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
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
