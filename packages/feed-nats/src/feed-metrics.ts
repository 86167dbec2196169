import { counter, gauge } from '@pergola/server/feed'

/** Metrics of a feed by NATS, and of the relay if it runs here. */
export interface FeedMetrics {
  /** The feed reads the log instead. */
  readonly fellBack: () => void
  readonly refusedSeal: () => void
  readonly filledGap: () => void
  readonly droppedDuplicate: () => void
  readonly relayed: (changes: number) => void
  readonly fenced: () => void
}

export interface FeedFigures {
  readonly readsLog: () => boolean
  /** Undefined unless the relay runs here. */
  readonly relayLag: () => number | undefined
}

export function createFeedMetrics({ readsLog, relayLag }: FeedFigures): FeedMetrics {
  gauge('pergola_feed_reads_log', () => [{ value: Number(readsLog()) }])
  gauge('pergola_feed_relay_lag', () => {
    const value = relayLag()
    return value === undefined ? [] : [{ value }]
  })
  return {
    fellBack: counter('pergola_feed_fallbacks'),
    refusedSeal: counter('pergola_feed_refused_seals'),
    filledGap: counter('pergola_feed_gaps'),
    droppedDuplicate: counter('pergola_feed_duplicates'),
    relayed: counter('pergola_feed_relayed'),
    fenced: counter('pergola_feed_fenced'),
  }
}
