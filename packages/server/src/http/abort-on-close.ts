import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A signal that aborts when the other end closes, for work that nobody waits for any more. */
export function abortOnClose(other: ServerResponse | Socket, isAnswered = () => false): AbortSignal {
  const controller = new AbortController()
  const end = () => {
    if (!isAnswered()) controller.abort()
  }
  if (other.destroyed) end()
  else other.once('close', end)
  return controller.signal
}
