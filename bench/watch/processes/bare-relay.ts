import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from 'pg'
import { WebSocketServer, type WebSocket } from 'ws'
import { bareChannel } from '../marker.ts'

/**
 * A minimal relay for comparison: listens to the database, reads the row that a notification names, and sends it to every
 * connection. It keeps no order, and loses what is committed while it is away. Argument: the database.
 */
const [, , url = ''] = process.argv
const client = new Client({ connectionString: url })
await client.connect()
const members = new Set<WebSocket>()
client.on('notification', ({ payload }) => void relay(payload))
await client.query(`LISTEN ${bareChannel}`)
const http = createServer()
const server = new WebSocketServer({ server: http, perMessageDeflate: false, clientTracking: false })
server.on('connection', (socket) => {
  members.add(socket)
  socket.on('close', () => members.delete(socket))
})
http.listen(0, '127.0.0.1', () => process.send?.({ port: (http.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit())

async function relay(id: string | undefined): Promise<void> {
  const { rows } = await client.query<{ data: string }>({
    name: 'row',
    text: 'SELECT data FROM bare_changes WHERE id = $1',
    values: [id],
  })
  const frame = Buffer.from(rows[0]?.data ?? '')
  for (const socket of members) socket.send(frame, { binary: false })
}
