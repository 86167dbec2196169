import { metrics } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'

export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

/** What is counted from here on can be read at `/metrics`, in the words of Prometheus, on a port of its own. */
export async function serveMetrics({ host, port }: MetricsAddress): Promise<AsyncDisposable> {
  const exporter = new PrometheusExporter({ host, port, preventServerStart: true })
  const provider = new MeterProvider({ readers: [exporter] })
  try {
    await exporter.startServer()
  } catch (cause) {
    throw new Error(`cannot serve metrics on ${host}:${port} (${String(cause)}); set metrics.host and metrics.port`, {
      cause,
    })
  }
  metrics.setGlobalMeterProvider(provider)
  return { [Symbol.asyncDispose]: () => provider.shutdown() }
}
