import { metrics, type Attributes, type Observable, type ObservableCallback } from '@opentelemetry/api'

export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly description: string
  /** The labels of the metric. */
  readonly labels?: readonly string[]
}

/** Every metric of the server, by the name used in code; Prometheus shows a counter as `<name>_total`. */
export const catalogue = {
  pergola_request_seconds: {
    kind: 'histogram',
    description: 'Seconds until a request was answered, or until a stream began.',
    labels: ['verb', 'resource', 'status'],
  },
  pergola_store_seconds: {
    kind: 'histogram',
    description: 'Seconds that database operations took.',
    labels: ['operation'],
  },
  pergola_store_failures: {
    kind: 'counter',
    description: 'Operations that failed because of the database.',
    labels: ['operation'],
  },
  pergola_replica_info: {
    kind: 'gauge',
    description: 'Always 1; the name and version of this replica.',
    labels: ['replica', 'version'],
  },
  pergola_cpu_seconds: { kind: 'counter', description: 'CPU time of the server, without plugins.' },
  pergola_memory_bytes: { kind: 'gauge', description: 'Memory of the server, without plugins.' },
  pergola_event_loop_delay_seconds: {
    kind: 'gauge',
    description: 'The longest time since the last scrape that the server was busy with one thing.',
  },
  pergola_store_connections: {
    kind: 'gauge',
    description: 'Connections to PostgreSQL.',
    labels: ['state'],
  },
  pergola_store_waiting: { kind: 'gauge', description: 'Operations that wait for a connection to PostgreSQL.' },
  pergola_watches: { kind: 'gauge', description: 'Open watches.' },
  pergola_login_failures: {
    kind: 'counter',
    description: 'Rejected logins: a wrong name or password, or too many earlier failures.',
    labels: ['reason'],
  },
  pergola_plugins: {
    kind: 'gauge',
    description: 'Plugins on this replica.',
    labels: ['phase'],
  },
  pergola_plugin_exits: {
    kind: 'counter',
    description: 'Unexpected exits of plugin processes.',
    labels: ['plugin'],
  },
  pergola_plugin_memory_bytes: {
    kind: 'gauge',
    description: 'Memory of all processes of a plugin.',
    labels: ['plugin'],
  },
  pergola_plugin_cpu_seconds: {
    kind: 'counter',
    description: 'CPU time of all processes of a plugin.',
    labels: ['plugin'],
  },
  pergola_plugin_open_requests: {
    kind: 'gauge',
    description: 'Requests and streams that a plugin has not finished answering.',
    labels: ['plugin'],
  },
  pergola_plugin_answer_seconds: {
    kind: 'histogram',
    description: 'Seconds until the answers of a plugin began.',
    labels: ['plugin'],
  },
  pergola_feed_lag_seconds: {
    kind: 'gauge',
    description: 'Seconds since this replica last proved that it has every committed change.',
  },
  pergola_cache_checks: {
    kind: 'counter',
    description: 'Comparisons of cached data with the database, about one a minute for each cache.',
    labels: ['cache'],
  },
  pergola_cache_divergences: {
    kind: 'counter',
    description: 'Comparisons that differed, after which the cache was reloaded; any is a bug in Pergola.',
    labels: ['cache'],
  },
  pergola_feed_reads_log: {
    kind: 'gauge',
    description: 'With NATS: 1 while changes are read from the database, 0 while they come from NATS.',
  },
  pergola_feed_relay_lag: {
    kind: 'gauge',
    description:
      'With NATS: seconds since the relay reached the end of the log; only on the replica that runs the relay.',
  },
  pergola_feed_relayed: { kind: 'counter', description: 'With NATS: changes sent by the relay.' },
  pergola_feed_fallbacks: {
    kind: 'counter',
    description: 'With NATS: fallbacks to reading the log because NATS delivered nothing.',
  },
  pergola_feed_gaps: {
    kind: 'counter',
    description: 'With NATS: gaps between two messages that were filled from the log.',
  },
  pergola_feed_duplicates: {
    kind: 'counter',
    description: 'With NATS: duplicate messages.',
  },
  pergola_feed_fenced: {
    kind: 'counter',
    description: 'With NATS: times that the relay was rejected because another replica had taken over.',
  },
  pergola_feed_refused_seals: {
    kind: 'counter',
    description: 'With NATS: messages that no replica of this database sent.',
  },
} as const satisfies Readonly<Record<`pergola_${string}`, Metric>>

type Catalogue = typeof catalogue
/** The metrics of one kind. */
type Named<Kind extends Metric['kind']> = {
  [Name in keyof Catalogue]: Catalogue[Name]['kind'] extends Kind ? Name : never
}[keyof Catalogue]

const meter = () => metrics.getMeter('pergola')
const describedBy = (name: keyof Catalogue) => ({ description: catalogue[name].description })

/** Returns a function that increments the counter. Counters with labels should begin with 0 for each known label. */
export function counter(name: Named<'counter'>): (count?: number, labels?: Attributes) => void {
  const made = meter().createCounter(name, describedBy(name))
  // A series that appears with its first failure has no rise to alert on.
  if (!('labels' in catalogue[name])) made.add(0)
  return (count = 1, labels) => made.add(count, labels)
}

/** In seconds; most values are far below one. */
const boundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Returns a function that records a value. */
export function histogram(name: Named<'histogram'>): (value: number, labels: Attributes) => void {
  const advice = { explicitBucketBoundaries: boundaries }
  const made = meter().createHistogram(name, { ...describedBy(name), advice })
  return (value, labels) => made.record(value, labels)
}

export interface Observed {
  readonly value: number
  readonly labels?: Attributes
}

/** `observe` is called whenever the metrics are read. */
export function gauge(name: Named<'gauge'>, observe: () => readonly Observed[]): Disposable {
  return observed(meter().createObservableGauge(name, describedBy(name)), observe)
}

/** A counter whose total `observe` returns whenever the metrics are read. */
export function counted(name: Named<'counter'>, observe: () => readonly Observed[]): Disposable {
  return observed(meter().createObservableCounter(name, describedBy(name)), observe)
}

function observed(made: Observable, observe: () => readonly Observed[]): Disposable {
  const callback: ObservableCallback = (result) => {
    for (const { value, labels } of observe()) result.observe(value, labels)
  }
  made.addCallback(callback)
  return { [Symbol.dispose]: () => made.removeCallback(callback) }
}

/** The suffixes that Prometheus shows for a metric, by its kind. */
const shownAs: Readonly<Record<Metric['kind'], readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
}

/** The names of all metrics as shown by Prometheus. */
export function shownMetrics(): readonly string[] {
  return Object.entries(catalogue).flatMap(([name, { kind }]) => shownAs[kind].map((ending) => `${name}${ending}`))
}
