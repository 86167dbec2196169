import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { readBody } from './read-body.ts'

/** Sends the bytes, and reads the body with a limit of 10. */
async function reading(bytes: string, then: (socket: Socket, message: IncomingMessage) => Promise<unknown> | void) {
  await using server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  try {
    const arrived = once(server, 'request')
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${bytes}`)
    const [message, response] = (await arrived) as [IncomingMessage, never]
    await then(socket, message)
    return await readBody(message, response, 10)
  } finally {
    socket.destroy()
  }
}

const chunked = 'transfer-encoding: chunked\r\n\r\n'

test.each([
  ['a body in one piece', 'content-length: 4\r\n\r\nwhol', 'whol'],
  ['no body', 'content-length: 0\r\n\r\n', ''],
  ['a body in several pieces', `${chunked}3\r\nwho\r\n2\r\nle\r\n0\r\n\r\n`, 'whole'],
])('reads %s', async (_, sent, body) => {
  expect(String(await reading(sent, () => {}))).toBe(body)
})

test('refuses a body that turns out to be too large, and reads on so that its sender can read the answer', async () => {
  const sent = `${chunked}b\r\nhello world\r\n`
  const drained = Promise.withResolvers<unknown>()
  const refused = reading(`${sent}0\r\n\r\n`, (_, message) => drained.resolve(once(message, 'end')))
  await expect(refused).rejects.toMatchObject({ reason: 'PayloadTooLarge' })
  await drained.promise
})

test.each([
  ['before it is read', closedBefore],
  ['while it is read', (socket: Socket) => void setImmediate(() => socket.destroy())],
])('refuses a body whose connection ends %s', async (_, end) => {
  const message = expect.stringContaining('before it was whole')
  const cut = reading('content-length: 9\r\n\r\nhalf', end)
  await expect(cut).rejects.toMatchObject({ reason: 'BadRequest', message })
})

function closedBefore(socket: Socket, message: IncomingMessage): Promise<void> {
  socket.destroy()
  return new Promise((resolve) => message.once('close', resolve))
}
