import type { ConsumerMessages } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { streamOf, type StreamSettings } from './stream.ts'

/** Messages that are on their way to a replica at a time: it takes them no faster than it hands them out. */
const ahead = 16
/** Of the server to an idle consumer; two that do not come mean that there is none any more. */
const heartbeatMs = 500
const pullMs = 5_000
/** What makes a consumer worthless; a new one is cheap, and begins with the newest message. */
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

/** Hands out messages from the newest on, in their order, until the consumer is gone or nobody wants more. */
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
    // It also goes by itself, after a while.
    await consumer.delete().catch(() => {})
  }
}

async function stopAtEnd(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) if (endings.has(type)) messages.stop()
}
