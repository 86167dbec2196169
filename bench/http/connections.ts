import { connect, type Socket } from 'node:net'

/**
 * Keep-alive connections with one request in flight each. Minimal, because the client shares the machine
 * with the server: a full HTTP client would cost more than the measured server.
 */
export interface Connections extends Disposable {
  /** Sends on a free connection and returns the status; throws if none is free. */
  send(request: Buffer): Promise<number>
}

/** A server closes connections that are idle for some seconds, and one that it closes at this moment would lose its request. */
const mostIdleMs = 2_000

export async function openConnections(url: string, count: number): Promise<Connections> {
  const { hostname, port } = new URL(url)
  const open = () => openConnection(hostname, Number(port))
  const free = await Promise.all(Array.from({ length: count }, open))
  const renewed = ({ socket }: Connection) => {
    socket.destroy()
    return open()
  }
  const used = new Set<Connection>()
  return {
    send: async (request) => {
      const idle = free.pop()
      if (!idle) throw new Error('more requests than connections')
      const isIdle = performance.now() - idle.usedAt > mostIdleMs
      const connection = isIdle || idle.socket.destroyed ? await renewed(idle) : idle
      used.add(connection)
      try {
        return await connection.send(request)
      } finally {
        connection.usedAt = performance.now()
        used.delete(connection)
        free.push(connection)
      }
    },
    [Symbol.dispose]: () => {
      for (const { socket } of [...free, ...used]) socket.destroy()
    },
  }
}

interface Connection {
  readonly socket: Socket
  usedAt: number
  send(request: Buffer): Promise<number>
}

function openConnection(host: string, port: number): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>()
  const socket = connect({ host, port, noDelay: true })
  let received = Buffer.alloc(0)
  let waiting: { resolve: (status: number) => void; reject: (error: Error) => void } | undefined
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    if (!isWhole(received)) return
    const status = Number(received.toString('latin1', 9, 12))
    received = Buffer.alloc(0)
    waiting?.resolve(status)
  })
  socket.on('error', (error) => (waiting ? waiting.reject(error) : reject(error)))
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')))
  socket.on('connect', () => {
    resolve({
      socket,
      usedAt: performance.now(),
      send: (request) =>
        new Promise((answered, failed) => {
          waiting = { resolve: answered, reject: failed }
          socket.write(request)
        }),
    })
  })
  return promise
}

const lastChunk = Buffer.from('0\r\n\r\n')

function isWhole(received: Buffer): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return false
  const head = received.toString('latin1', 0, end)
  const [, length] = /content-length: (\d+)/i.exec(head) ?? []
  if (/transfer-encoding: chunked/i.test(head)) return received.subarray(-5).equals(lastChunk)
  return length !== undefined && received.length >= end + 4 + Number(length)
}
