import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import { marker, markerDigits } from './marker.ts'

/**
 * A minimal fan-out for comparison: builds one frame for each event and calls `send` for each interested
 * connection. `?city=<n>` is the group of a connection.
 *
 * Controlled by messages: `run` sends events at a rate for some seconds, over all groups in turn.
 */
interface BareCommand {
  readonly perSecond: number
  readonly seconds: number
  readonly groups: number
  readonly frameBytes: number
}

export interface BareReport {
  readonly deliveries: number
  readonly cpuSeconds: number
}

const groups = new Map<number, Set<WebSocket>>()
const http = createServer()
const server = new WebSocketServer({ server: http, perMessageDeflate: false, clientTracking: false })
server.on('connection', (socket, request) => {
  const group = Number(new URL(request.url ?? '', 'http://localhost').searchParams.get('city'))
  const members = groups.get(group) ?? new Set()
  groups.set(group, members.add(socket))
  socket.on('close', () => members.delete(socket))
})
http.listen(0, '127.0.0.1', () => process.send?.({ port: (http.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit())

process.on('message', ({ perSecond, seconds, groups: count, frameBytes }: BareCommand) => {
  const before = process.cpuUsage()
  const began = performance.now()
  const all = perSecond * seconds
  let sent = 0
  let deliveries = 0
  const timer = setInterval(() => {
    const due = Math.min(all, Math.floor(((performance.now() - began) / 1000) * perSecond))
    for (; sent < due; sent++) {
      const note = `${marker}${String(sent).padStart(markerDigits, '0')}`
      const frame = Buffer.from(JSON.stringify({ type: 'ADDED', note, filling: 'x'.repeat(frameBytes - 80) }))
      for (const socket of groups.get(sent % count) ?? []) {
        socket.send(frame, { binary: false })
        deliveries++
      }
    }
    if (sent < all) return
    clearInterval(timer)
    const { user, system } = process.cpuUsage(before)
    process.send?.({ deliveries, cpuSeconds: (user + system) / 1e6 } satisfies BareReport)
  }, 2)
})
