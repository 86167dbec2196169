import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import type { LogPosition, StreamSettings } from '@pergola/server/feed'
import type { NatsLink } from './link.ts'
import { nonceBytes, unpackProof } from './message.ts'
import type { Seals } from './seals.ts'
import { subjectsOf } from './stream.ts'

const everyMs = 400
const answerMs = 2_000

export interface ProofParts {
  readonly link: NatsLink
  readonly stream: StreamSettings
  readonly seals: Seals
  /** The log ended at this position when the question was asked. */
  readonly onProof: (position: LogPosition, askedAt: number) => void
  /** No replica runs the relay, or it does not answer. */
  readonly onSilence: () => void
  readonly onRefused: () => void
  readonly signal: AbortSignal
}

/**
 * Repeatedly asks the relay for the log's position. Arriving messages prove nothing, because they can be delayed or replayed. An
 * answer names the question.
 */
export async function keepAsking(parts: ProofParts): Promise<void> {
  const { link, signal } = parts
  while (!signal.aborted) {
    const connection = link.connection()
    if (connection) void ask(parts, connection)
    else parts.onSilence()
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

async function ask({ stream, seals, ...told }: ProofParts, connection: NatsConnection): Promise<void> {
  const nonce = randomBytes(nonceBytes)
  const askedAt = performance.now()
  try {
    const { data } = await connection.request(subjectsOf(stream).proof, nonce, { timeout: answerMs })
    const position = unpackProof(seals, Buffer.from(data), nonce)
    if (position) told.onProof(position, askedAt)
    else told.onRefused()
  } catch {
    told.onSilence()
  }
}
