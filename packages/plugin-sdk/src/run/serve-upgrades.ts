import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '@pergola/api'
import type { Talk } from './accept-socket.ts'
import { isUpgrade, type CustomApis } from './custom-apis.ts'
import { ServerResponse } from './node-http.ts'
import { sendResponse } from './send-response.ts'
import { logFailure, tellFailure } from './tell-failure.ts'

export interface UpgradeParts extends CustomApis {
  /** Aborted when the plugin begins to stop. */
  readonly stopping: AbortSignal
  /** Aborted when the grace period ends. */
  readonly ended: AbortSignal
  readonly log: (text: string) => void
}

/** Serves WebSocket requests: upgrades those that a handler accepts and answers the others normally. */
export function serveUpgrades(server: Server, parts: UpgradeParts): void {
  server.on('upgrade', (request: IncomingMessage, connection: Socket, head) => {
    connection.on('error', () => {})
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(connection)
    response.once('finish', () => connection.end())
    const { log } = parts
    serve(parts, { request, connection, head, response }).catch((error: unknown) =>
      tellFailure(error, { request, response, log }),
    )
  })
}

interface Upgrading {
  readonly request: IncomingMessage
  readonly connection: Socket
  readonly head: Buffer
  /** For a response without an upgrade. */
  readonly response: ServerResponse
}

async function serve(parts: UpgradeParts, { request, connection, head, response }: Upgrading): Promise<void> {
  const { stopping, ended, log } = parts
  let talk: Talk | undefined
  const answered = await parts.answer({ message: request, to: connection, onUpgrade: (wanted) => (talk = wanted) })
  if (!talk || !isUpgrade(answered)) {
    if (!answered.ok) return sendResponse(answered, response)
    await answered.body?.cancel()
    throw new ApiError('BadRequest', 'this path does not support WebSockets; ask for an event stream')
  }
  response.detachSocket(connection)
  const { acceptSocket } = await import('./accept-socket.ts')
  const fail = (error: unknown) => void logFailure(error, { request, log })
  await acceptSocket({ request, connection, head }, talk, { stopping, ended, fail })
}
