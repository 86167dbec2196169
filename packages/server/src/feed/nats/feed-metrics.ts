import { metrics } from '@opentelemetry/api'

/** What is counted of a feed by NATS, and of the relay where it runs here. */
export interface FeedMetrics {
  /** The log is read instead. */
  readonly fellBack: () => void
  readonly refusedSeal: () => void
  readonly filledGap: () => void
  readonly droppedDuplicate: () => void
  readonly relayed: (changes: number) => void
  readonly fenced: () => void
}

export interface FeedFigures {
  /** Seconds since it was last proven that NATS has brought everything; what it says while the log is read, too. */
  readonly unprovenSeconds: () => number
  readonly readsLog: () => boolean
  /** Undefined unless the relay runs here. */
  readonly relayLag: () => number | undefined
}

export function createFeedMetrics(figures: FeedFigures): FeedMetrics {
  const meter = metrics.getMeter('pergola')
  const counter = (name: string, description: string) => {
    const made = meter.createCounter(name, { description })
    return (count = 1) => made.add(count)
  }
  const gauge = (name: string, description: string, value: () => number | undefined) => {
    meter.createObservableGauge(name, { description }).addCallback((result) => {
      const now = value()
      if (now !== undefined) result.observe(now)
    })
  }
  gauge('pergola_feed_lag_seconds', 'Since it was proven that NATS has brought every change.', figures.unprovenSeconds)
  gauge('pergola_feed_reads_log', '1 while changes are read from the database, 0 while NATS brings them.', () =>
    Number(figures.readsLog()),
  )
  gauge('pergola_feed_relay_lag', 'Seconds since the relay, where it runs here, was at the end of the log.', () =>
    figures.relayLag(),
  )
  return {
    fellBack: counter('pergola_feed_fallbacks', 'Times that the log had to be read because NATS brought nothing.'),
    refusedSeal: counter('pergola_feed_refused_seals', 'Messages from NATS that no replica of this database has sent.'),
    filledGap: counter('pergola_feed_gaps', 'Times that changes between two messages were read from the log.'),
    droppedDuplicate: counter('pergola_feed_duplicates', 'Messages whose changes had been handed out before.'),
    relayed: counter('pergola_feed_relayed', 'Changes that the relay, where it ran here, has sent to NATS.'),
    fenced: counter(
      'pergola_feed_fenced',
      'Times that the relay here was refused, because another one had taken over.',
    ),
  }
}
