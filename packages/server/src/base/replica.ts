import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

/** This process among all that serve the same database. */
export interface Replica {
  /** New with every start. */
  readonly id: string
  /** The beginning of `id`, for response headers: tells replicas apart and says nothing about the machine. */
  readonly shortId: string
  /** For operators. */
  readonly name: string
  readonly startedAt: string
}

/** `name` is that of the configuration; by default the host name and the short id. */
export function createReplica(name?: string): Replica {
  const id = randomUUID()
  const shortId = id.slice(0, 8)
  return { id, shortId, name: name ?? `${hostname()}-${shortId}`, startedAt: new Date().toISOString() }
}
