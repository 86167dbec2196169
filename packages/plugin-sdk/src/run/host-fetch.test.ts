import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createHostFetch } from './host-fetch.ts'

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** A server on a Unix socket that counts its open and total connections. */
async function serve(listener: Listener) {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-fetch-'))
  const server = createServer(listener)
  const connections = { open: 0, total: 0 }
  server.on('connection', (socket) => {
    connections.open++
    connections.total++
    socket.once('close', () => connections.open--)
  })
  const path = join(directory, 'host.sock')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return {
    fetch: createHostFetch(path),
    connections,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      rmSync(directory, { recursive: true })
    },
  }
}

test('requests and responses are the same as with fetch', async () => {
  await using host = await serve((request, response) => {
    const { method, url, headers } = request
    response.writeHead(201, { 'x-seen': `${method} ${url} ${String(headers['x-a'])} ${headers['content-type']}` })
    request.pipe(response)
  })
  const headers = { 'x-a': 'b', 'content-type': 'application/json' }
  const response = await host.fetch('http://host/a%20b?c=d', { method: 'POST', headers, body: '{"ü":1}' })
  expect([response.status, response.ok, response.headers.get('x-seen')]).toEqual([
    201,
    true,
    'POST /a%20b?c=d b application/json',
  ])
  expect(await response.text()).toBe('{"ü":1}')
})

test('connections are reused and closed when idle', async () => {
  await using host = await serve((_, response) => response.end('x'))
  for (let at = 0; at < 5; at++) await (await host.fetch('http://host/')).text()
  expect(host.connections).toEqual({ open: 1, total: 1 })
  await expect.poll(() => host.connections.open).toBe(0)
})

test('a response may be silent for longer than the idle timeout of its connection', async () => {
  await using host = await serve((_, response) => {
    response.write('a')
    setTimeout(() => response.end('b'), 2600)
  })
  expect(await (await host.fetch('http://host/')).text()).toBe('ab')
})

test('an aborted request fails with the abort reason, before and during its response', async () => {
  await using host = await serve(({ url }, response) => void (url === '/begun' && response.write('a')))
  const controller = new AbortController()
  const silent = host.fetch('http://host/silent', { signal: controller.signal })
  const begun = await host.fetch('http://host/begun', { signal: controller.signal })
  const reason = new Error('enough')
  const read = begun.text()
  await sleep(20)
  controller.abort(reason)
  await expect(silent).rejects.toBe(reason)
  await expect(read).rejects.toBe(reason)
  await expect(host.fetch('http://host/', { signal: controller.signal })).rejects.toBe(reason)
  await expect.poll(() => host.connections.open).toBe(0)
})

test('reading a truncated response fails', async () => {
  await using host = await serve((_, response) => {
    response.write('a')
    setTimeout(() => response.destroy(), 20)
  })
  const response = await host.fetch('http://host/')
  await expect(response.text()).rejects.toThrow(/aborted|terminated/)
})
