import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { waitForFreePort } from './free-port.ts'

async function takenPort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

const { signal } = new AbortController()

test('waits for a port that becomes free', async () => {
  const { server, port } = await takenPort()
  const told: string[] = []
  await waitForFreePort(port, {
    patienceMs: Infinity,
    onWait: () => {
      told.push('waiting')
      server.close(() => told.push('closed'))
    },
    signal,
  })
  expect(told).toEqual(['waiting', 'closed'])
})

test('a free port is not waited for', async () => {
  const { server, port } = await takenPort()
  server.close()
  await once(server, 'close')
  const onWait = () => expect.unreachable('the port is free')
  await waitForFreePort(port, { patienceMs: Infinity, onWait, signal })
  await waitForFreePort(0, { patienceMs: Infinity, onWait, signal })
})

test('the wait ends on the signal, and when patience ends', async () => {
  const { server, port } = await takenPort()
  const stopping = new AbortController()
  await waitForFreePort(port, { patienceMs: Infinity, onWait: () => stopping.abort(), signal: stopping.signal })
  await waitForFreePort(port, { patienceMs: 1, onWait: () => undefined, signal })
  expect(server.listening).toBe(true)
  server.close()
})
