import { metrics } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'

export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

/** Serves all metrics created from now on at `/metrics`, in Prometheus format, on a separate port. */
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
