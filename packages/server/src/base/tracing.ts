import type { IncomingHttpHeaders } from 'node:http'
import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api'
import type { RequestInfo } from '@pergola/api'
import { traceIn, type NamedTrace } from './trace-parent.ts'

export interface Tracing {
  readonly tracer: Tracer
  /** Share of the traces that are recorded. */
  readonly share: number
  /** Begins a span with ids that another program has chosen. */
  readonly withIds: (ids: NamedTrace, begin: () => Span) => Span
}

/** Undefined unless tracing is configured: then the functions here do nothing but call. */
let tracing: Tracing | undefined

export function traceWith(used: Tracing | undefined): void {
  tracing = used
}

/** Undefined without tracing. */
export function tracedShare(): number | undefined {
  return tracing?.share
}

interface TracedRequest {
  readonly id: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
}

/** An answer that is already there, or that is passed on later. */
type Answered = object | { readonly proxy: (exchange: never) => Promise<void> }

/** Runs the work as the span of a request, which begins a trace or continues that of the client. */
export function tracedRequest<Result extends Answered>(
  request: TracedRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  return tracing === undefined ? work() : spanOfRequest(tracing.tracer, request, work)
}

async function spanOfRequest<Result extends Answered>(
  by: Tracer,
  { id, method, headers }: TracedRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  const attributes = { 'http.request.method': method, 'pergola.request.id': id }
  const parent = remote(headers)
  const span = by.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent)
  const within = trace.setSpan(parent, span)
  const answer = await context.with(within, work)
  if (!('proxy' in answer)) {
    span.end()
    return answer
  }
  const { proxy } = answer
  return {
    ...answer,
    proxy: (exchange: never) => context.with(within, () => proxy(exchange)).finally(() => span.end()),
  }
}

/** Runs the work as a span below that of the request, if there is one. */
export function traced<Result>(name: string, attributes: Attributes, work: () => Promise<Result>): Promise<Result> {
  if (tracing === undefined || !trace.getActiveSpan()?.isRecording()) return work()
  return recorded(tracing.tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes }), work)
}

/** Names the span of a request by what it does; without names of objects, which may be personal. */
export function describeTrace(info: RequestInfo): void {
  if (tracing === undefined) return
  const resource = info.kind === 'resource' ? `${info.resource}.${info.group}` : 'path'
  trace.getActiveSpan()?.updateName(`${info.verb} ${resource}`)
}

/** The header that continues the trace in another program; undefined without tracing. */
export function ownTraceParent(): string | undefined {
  const span = tracing === undefined ? undefined : trace.getActiveSpan()?.spanContext()
  if (!span) return undefined
  return `00-${span.traceId}-${span.spanId}-${(span.traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01'}`
}

/** A run of a controller or schedule, as its plugin tells it. */
export interface ToldRun {
  readonly plugin: string
  readonly name: string
  readonly trace: NamedTrace
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
  readonly error?: string
}

/** Records the run as the root of its trace. */
export function recordRun({ plugin, name, trace: ids, start, end, error }: ToldRun): void {
  if (tracing === undefined) return
  const { tracer, withIds } = tracing
  const attributes = { 'pergola.plugin': plugin }
  const span = withIds(ids, () => tracer.startSpan(`run ${name}`, { root: true, startTime: start, attributes }))
  if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error })
  span.end(end)
}

async function recorded<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    return await context.with(trace.setSpan(context.active(), span), work)
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message })
    throw error
  } finally {
    span.end()
  }
}

/** Whether the client traces is ignored: anybody could make this server trace everything. */
function remote(headers: IncomingHttpHeaders): Context {
  const { traceId, spanId } = traceIn(headers) ?? {}
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.NONE, isRemote: true })
}
