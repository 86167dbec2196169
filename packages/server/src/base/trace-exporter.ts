import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace'
import { hostVersion } from './host-version.ts'
import { traceWith } from './tracing.ts'

export interface TraceExport {
  /** Where an OpenTelemetry collector accepts OTLP over HTTP. */
  readonly url: string
  /** Share of the requests that are traced, chosen by their trace: programs with the same share choose the same. */
  readonly sampling: number
  readonly replica: string
}

/** Sends spans from now on. What the collector does not accept in time is dropped. */
export function exportTraces({ url, sampling, replica }: TraceExport): AsyncDisposable {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'pergola',
      'service.version': hostVersion,
      'service.instance.id': replica,
    }),
    sampler: new TraceIdRatioBasedSampler(sampling),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  traceWith(provider.getTracer('pergola', hostVersion))
  return {
    [Symbol.asyncDispose]: async () => {
      traceWith(undefined)
      context.disable()
      trace.disable()
      await provider.shutdown()
    },
  }
}
