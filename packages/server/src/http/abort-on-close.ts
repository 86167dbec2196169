import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A signal that aborts when the peer closes the connection, to cancel work for it. */
export function abortOnClose(other: ServerResponse | Socket, isAnswered = () => false): AbortSignal {
  const controller = new AbortController()
  const end = () => {
    if (!isAnswered()) controller.abort()
  }
  if (other.destroyed) end()
  else other.once('close', end)
  return controller.signal
}
