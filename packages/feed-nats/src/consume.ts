import type { ConsumerMessages } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { StreamSettings } from '@pergola/server/feed'
import { streamOf } from './stream.ts'

/** Messages in flight to a replica: NATS delivers no faster than the replica hands them out. */
const ahead = 16
/** Heartbeat interval of an idle consumer; after two missed heartbeats the consumer is gone. */
const heartbeatMs = 500
const pullMs = 5_000
/** Events that make a consumer useless; a new one is cheap, and starts with the newest message. */
const endings: ReadonlySet<string> = new Set([
  'heartbeats_missed',
  'consumer_not_found',
  'consumer_deleted',
  'stream_not_found',
  'no_responders',
  'reset',
])

export interface ConsumeOptions {
  readonly stream: StreamSettings
  readonly onMessage: (bytes: Buffer) => Promise<void>
  readonly signal: AbortSignal
}

/** Hands out messages in order, starting with the newest, until the consumer is gone or the signal aborts. */
export async function consume(connection: NatsConnection, options: ConsumeOptions): Promise<void> {
  const { stream, onMessage, signal } = options
  const consumer = await streamOf(connection, stream).consumer()
  const messages = await consumer.consume({
    max_messages: ahead,
    expires: pullMs,
    idle_heartbeat: heartbeatMs,
    abort_on_missing_resource: true,
  })
  const stop = () => messages.stop()
  signal.addEventListener('abort', stop, { once: true })
  void stopAtEnd(messages)
  try {
    for await (const { data } of messages) {
      if (signal.aborted) return
      await onMessage(Buffer.from(data.buffer, data.byteOffset, data.byteLength))
    }
  } finally {
    signal.removeEventListener('abort', stop)
    messages.stop()
    // An unused consumer also expires by itself.
    await consumer.delete().catch(() => {})
  }
}

async function stopAtEnd(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) if (endings.has(type)) messages.stop()
}
