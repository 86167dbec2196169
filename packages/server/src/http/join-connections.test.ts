import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { joinConnections } from './join-connections.ts'

const lost = () => ({ code: 1011, reason: 'lost' })
const close = (code: number, reason: string) =>
  `${Buffer.from([0x88, reason.length + 2, code >> 8, code & 0xff]).toString('latin1')}${reason}`
let server: Server
beforeAll(async () => {
  server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => void server.close())

/** Both ends of a connection. */
async function pair(): Promise<{ readonly near: Socket; readonly far: Socket; readonly got: Promise<string> }> {
  const { port } = server.address() as { port: number }
  const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const [near] = (await once(server, 'connection')) as [Socket]
  for (const one of [near, far]) one.on('error', () => {})
  const chunks: Buffer[] = []
  far.on('data', (chunk) => chunks.push(chunk))
  const got = new Promise<string>((resolve) => {
    const done = () => resolve(Buffer.concat(chunks).toString('latin1'))
    far.once('end', done)
    far.once('close', done)
  })
  return { near, far, got }
}

/** A client and a plugin, joined by the host. */
async function joined(idleMs?: number) {
  const client = await pair()
  const plugin = await pair()
  const end = joinConnections({
    client: client.near,
    other: plugin.near,
    lost,
    ...(idleMs !== undefined && { idleMs }),
  })
  return { client, plugin, end }
}

test('bytes flow both ways; a connection that ends without a close frame gets one', async () => {
  const { client, plugin } = await joined()
  client.far.write('to the plugin')
  plugin.far.write(Buffer.from('\x81\x05hello', 'latin1'))
  expect(String((await once(plugin.far, 'data'))[0])).toBe('to the plugin')
  plugin.far.end()
  expect(await client.got).toBe(`\x81\x05hello${close(1011, 'lost')}`)
})

test('no close frame is added after a close frame of the plugin', async () => {
  const { client, plugin } = await joined()
  plugin.far.end(Buffer.from('\x88\x02\x03\xe8', 'latin1'))
  expect(await client.got).toBe('\x88\x02\x03\xe8')
})

test('in the middle of a frame the connection is cut without a close frame', async () => {
  const { client, plugin } = await joined()
  plugin.far.write(Buffer.from('\x81\x7dhalf', 'latin1'))
  await once(client.far, 'data')
  plugin.far.destroy()
  expect(await client.got).toBe('\x81\x7dhalf')
})

test('ending from the host sends the reason to the client and closes the plugin side', async () => {
  const { client, plugin, end } = await joined()
  end({ code: 1008, reason: 'Forbidden' })
  end({ code: 1001, reason: 'too late' })
  expect(await client.got).toBe(close(1008, 'Forbidden'))
  await plugin.got
})

test('a client that disconnects closes the connection to the plugin', async () => {
  const { client, plugin } = await joined()
  client.far.destroy()
  expect(await plugin.got).toBe('')
})

test('a half-closed client still receives data', async () => {
  const { client, plugin } = await joined()
  client.far.end('bye')
  await once(plugin.far, 'end')
  plugin.far.end(Buffer.from('\x88\x00', 'latin1'))
  expect(await client.got).toBe('\x88\x00')
})

test('an idle connection is closed; traffic in either direction keeps it open', async () => {
  const { client, plugin } = await joined(300)
  for (let times = 0; times < 6; times++) {
    const [one, other] = times < 3 ? [client.far, plugin.far] : [plugin.far, client.far]
    one.write(Buffer.from('\x81\x00', 'latin1'))
    await once(other, 'data')
    await sleep(150)
  }
  expect(client.far.readableEnded).toBe(false)
  expect((await client.got).endsWith(close(1001, 'the connection was idle for too long'))).toBe(true)
})

test('a slow reader causes backpressure on the other side', async () => {
  const { client, plugin } = await joined()
  client.far.pause()
  const frame = Buffer.alloc(64 * 1024 + 4)
  Buffer.from([0x82, 126, 0xff, 0xff]).copy(frame)
  const whole = frame.subarray(0, 0xffff + 4)
  let sent = 0
  while (sent < 64 * 1024 * 1024 && plugin.far.writableLength < 1024 * 1024) {
    plugin.far.write(whole)
    sent += whole.length
    await sleep(0)
  }
  // The rest is in the socket buffers of the system; the host buffers a bounded amount.
  expect(client.near.writableLength).toBeLessThan(256 * 1024)
  expect(sent).toBeLessThan(64 * 1024 * 1024)
  client.far.resume()
  plugin.far.end()
  expect((await client.got).length).toBe(sent + close(1011, 'lost').length)
})
