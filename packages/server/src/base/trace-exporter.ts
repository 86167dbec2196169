import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  RandomIdGenerator,
  TracerProvider,
  TraceIdRatioBasedSampler,
  type IdGenerator,
} from '@opentelemetry/sdk-trace'
import { hostVersion } from './host-version.ts'
import type { NamedTrace } from './trace-parent.ts'
import { traceWith, type Tracing } from './tracing.ts'

export interface TraceExport {
  /** Where an OpenTelemetry collector accepts OTLP over HTTP. */
  readonly url: string
  /** Share of the requests that are traced, chosen by their trace: programs with the same share choose the same. */
  readonly sampling: number
  readonly replica: string
}

/** Sends spans from now on. What the collector does not accept in time is dropped. */
export function exportTraces({ url, sampling, replica }: TraceExport): AsyncDisposable {
  const { idGenerator, withIds } = createIds()
  const provider = new TracerProvider({
    idGenerator,
    resource: resourceFromAttributes({
      'service.name': 'pergola',
      'service.version': hostVersion,
      'service.instance.id': replica,
    }),
    sampler: new TraceIdRatioBasedSampler(sampling),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  traceWith({ tracer: provider.getTracer('pergola', hostVersion), share: sampling, withIds })
  return {
    [Symbol.asyncDispose]: async () => {
      traceWith(undefined)
      context.disable()
      trace.disable()
      await provider.shutdown()
    },
  }
}

/** Random ids, or those that are given for one span. */
function createIds(): Pick<Tracing, 'withIds'> & { readonly idGenerator: IdGenerator } {
  const random = new RandomIdGenerator()
  let given: NamedTrace | undefined
  return {
    idGenerator: {
      generateTraceId: () => given?.traceId ?? random.generateTraceId(),
      generateSpanId: () => given?.spanId ?? random.generateSpanId(),
    },
    withIds: (ids, begin) => {
      given = ids
      try {
        return begin()
      } finally {
        given = undefined
      }
    },
  }
}
