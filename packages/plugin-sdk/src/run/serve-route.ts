import { ApiError, type JsonSchema, type RouteDeclaration } from '@pergola/api'
import type { CallContext } from '../handler-context.ts'
import { answered } from '../route/created.ts'
import type { AnyRoute, RouteContext } from '../route/route.ts'
import { sentenceOf } from './field-words.ts'
import { parseJson, readBody } from './read-body.ts'
import { plainQuery, typedQuery } from './read-query.ts'
import type { ValueCheck } from './value-check.ts'

/** A declared route and its handler. */
export interface ServedRoute extends Pick<RouteDeclaration, 'method' | 'path' | 'stream'> {
  readonly declaration: RouteDeclaration
  readonly handler: AnyRoute['handler']
}

export interface RouteCall {
  readonly route: ServedRoute
  readonly params: Readonly<Record<string, string>>
  readonly request: Request
  readonly context: CallContext
  readonly loadCheck: () => Promise<ValueCheck>
}

/** The handler's result does not match its schema. Logged, but not shown to the caller. */
class AnswerFault extends Error {
  override readonly name = 'AnswerFault'
}

const json = 'application/json'

/** Validates the request, calls the handler and converts its result to a response. */
export async function serveRoute(call: RouteCall): Promise<Response> {
  const { route, params, request, context } = call
  const query = await queryOf(call)
  const body = await bodyOf(call)
  const whole: RouteContext<unknown, unknown, unknown> = { ...context, params, query, body, request }
  return answerOf(call, await route.handler(whole as RouteContext<never, never, never>))
}

async function queryOf({ route, request, loadCheck }: RouteCall): Promise<unknown> {
  const { searchParams } = new URL(request.url)
  const schema = route.declaration.query
  if (!schema) return plainQuery(searchParams)
  const query = typedQuery(searchParams, schema)
  const errors = (await loadCheck())(schema, query, 0)
  if (errors.length > 0) throw new ApiError('BadRequest', sentenceOf('the query', errors), { errors })
  return query
}

/** The parsed JSON body; undefined when the handler reads the body itself. */
async function bodyOf({ route, request, loadCheck }: RouteCall): Promise<unknown> {
  const { method, accepts = [json], request: schema } = route.declaration
  if (method === 'GET' || method === 'DELETE') return undefined
  const type = typeOf(request.headers.get('content-type'))
  const isSent = request.body !== null
  if (isSent && !accepts.some((accepted) => covers(accepted, type))) {
    const was = type === '' ? 'no content type' : `the content type ${type}`
    throw new ApiError('UnsupportedMediaType', `the body has ${was}; send ${accepts.join(' or ')}`)
  }
  if (!schema || (isSent && !isJson(type)) || (!isSent && !accepts.some(isJson))) return undefined
  const bytes = await readBody(request.body)
  const body = parseJson(bytes)
  const errors = (await loadCheck())(schema, body, bytes.byteLength)
  if (errors.length > 0) throw new ApiError('Invalid', sentenceOf('the body', errors), { errors })
  return body
}

async function answerOf(call: RouteCall, given: unknown): Promise<Response> {
  if (given instanceof Response) return given
  const { value, status } = answered(given)
  const answer = await bodyAnswer(call, value)
  return status === 200 ? answer : new Response(answer.body, { status, headers: answer.headers })
}

async function bodyAnswer({ route, loadCheck }: RouteCall, value: unknown): Promise<Response> {
  const { response: schema, produces = json } = route.declaration
  if (value === undefined && !schema) return new Response(null, { status: 204 })
  const headers = { 'content-type': produces }
  if (!isJson(typeOf(produces))) {
    if (isBody(value)) return new Response(value, { headers })
    if (isSeries(value)) return new Response(streamOf(value), { headers })
    throw new AnswerFault(
      `produces ${produces}, but returns ${typeof value}; return a string, bytes, an iterable of them, a stream or a Response`,
    )
  }
  const text = JSON.stringify(value)
  if (text === undefined) throw new AnswerFault(`returns ${typeof value}, which JSON cannot represent`)
  return jsonResponse(schema ? await checked(text, schema, loadCheck) : text, headers)
}

/** Validates the serialized form, in which a `Date`, for example, is a string. */
async function checked(text: string, schema: JsonSchema, loadCheck: RouteCall['loadCheck']): Promise<string> {
  const sent: unknown = JSON.parse(text)
  const errors = (await loadCheck())(schema, sent, text.length)
  if (errors.length > 0) throw new AnswerFault(sentenceOf('the answer', errors))
  return JSON.stringify(sent)
}

function jsonResponse(text: string, headers: Readonly<Record<string, string>>): Response {
  const bytes = Buffer.from(text)
  return new Response(bytes, { headers: { ...headers, 'content-length': String(bytes.byteLength) } })
}

function isBody(value: unknown): value is BodyInit {
  return (
    typeof value === 'string' ||
    value instanceof ArrayBuffer ||
    ArrayBuffer.isView(value) ||
    value instanceof ReadableStream ||
    value instanceof Blob
  )
}

type Series = AsyncIterable<string | Uint8Array>

function isSeries(value: unknown): value is Series {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** Pulls the next part when the previous one was read, and ends the iterator when the reader cancels. */
function streamOf(series: Series): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const parts = series[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async (out) => {
      const next = await parts.next()
      if (next.done === true) out.close()
      else out.enqueue(typeof next.value === 'string' ? encoder.encode(next.value) : next.value)
    },
    cancel: async () => void (await parts.return?.()),
  })
}

/** Media type without parameters, in lower case. */
function typeOf(header: string | null): string {
  return (header ?? '').split(';', 1).join('').trim().toLowerCase()
}

function isJson(type: string): boolean {
  return type === json || type.endsWith('+json')
}

/** True when the type matches; `image/*` matches every image type. */
function covers(accepted: string, type: string): boolean {
  const wanted = typeOf(accepted)
  if (wanted === '*/*') return true
  return wanted.endsWith('/*') ? type.startsWith(wanted.slice(0, -1)) : wanted === type
}
