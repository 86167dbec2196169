import { randomUUID } from 'node:crypto'
import type { Client } from './client.ts'

/** How a request is called in its response, in logs and by plugins. */
export interface RequestName {
  readonly id: string
  /** The id that a trusted proxy gave, if it cannot be ours. */
  readonly proxyId?: string
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Takes the id of a trusted proxy, if it is a UUID: others may contain anything. */
export function requestName({ requestId }: Pick<Client, 'requestId'>): RequestName {
  if (requestId === undefined) return { id: randomUUID() }
  return uuid.test(requestId) ? { id: requestId.toLowerCase() } : { id: randomUUID(), proxyId: requestId }
}
