import {
  DeliverPolicy,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
  StorageType,
  type Consumer,
  type JetStreamManager,
} from '@nats-io/jetstream'
import { nanos, type NatsConnection } from '@nats-io/transport-node'
import type { StreamSettings } from '@pergola/server/feed'

/** A message whose changes belong to one shard uses its subject; otherwise a common one. */
const shardCount = 32

interface Subjects {
  readonly all: string
  readonly shard: (model: number) => string
  readonly mixed: string
  /** The subject for questions to the relay. */
  readonly proof: string
}

export function subjectsOf({ name }: Pick<StreamSettings, 'name'>): Subjects {
  return {
    all: `${name}.changes.*`,
    shard: (model) => `${name}.changes.${model % shardCount}`,
    mixed: `${name}.changes.mixed`,
    proof: `${name}.proof`,
  }
}

const apiMs = 2_000
const notFound = 10_059
const wrongSequence = 10_071

/** The end of the stream. */
interface StreamEnd {
  /** Sequence of the newest message, even if that was deleted. */
  readonly sequence: number
  /** Undefined when the stream is empty. */
  readonly newest: Buffer | undefined
}

export interface NatsStream {
  /** Creates the stream, or updates its settings. */
  open(): Promise<StreamEnd>
  /** Deletes all messages; sequence numbers continue. */
  empty(): Promise<void>
  /**
   * Appends only after the expected message, so a relay that was replaced without knowing is rejected. Returns the new sequence.
   */
  append(subject: string, bytes: Buffer, expected: number): Promise<number>
  /** Starts with the newest message. */
  consumer(): Promise<Consumer>
}

export function streamOf(connection: NatsConnection, settings: StreamSettings): NatsStream {
  const { name } = settings
  const manager = () => jetstreamManager(connection, { timeout: apiMs, checkAPI: false })
  const js = jetstream(connection, { timeout: apiMs })
  return {
    open: async () => {
      const jsm = await manager()
      await ensureStream(jsm, settings)
      const { state } = await jsm.streams.info(name)
      return { sequence: state.last_seq, newest: await messageAt(jsm, name, state.last_seq) }
    },
    empty: async () => {
      await (await manager()).streams.purge(name)
    },
    append: async (subject, bytes, expected) => {
      const { seq } = await js.publish(subject, bytes, { expect: { lastSequence: expected } })
      return seq
    },
    consumer: () => js.consumers.get(name, { deliver_policy: DeliverPolicy.Last }),
  }
}

export function isFenced(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === wrongSequence
}

async function ensureStream(
  jsm: JetStreamManager,
  { name, replicas, maxAgeSeconds, maxBytes }: StreamSettings,
): Promise<void> {
  const config = {
    name,
    subjects: [subjectsOf({ name }).all],
    storage: StorageType.File,
    num_replicas: replicas,
    max_age: nanos(maxAgeSeconds * 1000),
    max_bytes: maxBytes,
    // Discards the oldest first: a replica that is behind reads the log.
    discard: 'old' as const,
  }
  try {
    const { config: found } = await jsm.streams.info(name)
    const isSame =
      found.num_replicas === replicas && found.max_age === config.max_age && found.max_bytes === config.max_bytes
    if (!isSame) await jsm.streams.update(name, config)
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== notFound) throw error
    await jsm.streams.add(config)
  }
}

async function messageAt(jsm: JetStreamManager, name: string, seq: number): Promise<Buffer | undefined> {
  if (seq === 0) return undefined
  const found = await jsm.streams.getMessage(name, { seq })
  return found ? Buffer.from(found.data) : undefined
}
