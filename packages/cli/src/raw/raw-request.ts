import { readFileSync } from 'node:fs'
import type { Client } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { jsonPath, type JsonPath } from '../objects/json-path.ts'
import { isObject } from '../objects/schema-at.ts'
import { withValue } from '../objects/with-value.ts'
import { chooseUrl, clientOf } from '../server/connect.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { usedWrongly } from '../terminal/command-fault.ts'
import { printJson } from '../terminal/print-json.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { visible, visibleJson } from '../terminal/visible.ts'
import { whyUnreadable } from '../terminal/why-unreadable.ts'

/** Objects per page with `--paginate`, unless the path says it; the server's maximum. */
const pageSize = 500

export interface RawOptions extends ServerOptions {
  readonly method?: string
  readonly rawField: readonly string[]
  readonly field: readonly string[]
  readonly input?: string
  readonly header: readonly string[]
  readonly paginate?: boolean
  readonly jsonpath?: string
}

type Fields = Readonly<Record<string, unknown>>

/** Sends one request, or with `--paginate` one for each page. */
export async function rawRequest(context: CommandContext, path: string, options: RawOptions): Promise<void> {
  const { terminal, version } = context
  const request = await requestOf(context, path, options)
  const client = await clientOf(version, await chooseUrl(context, options))
  const find = options.jsonpath === undefined ? undefined : jsonPath(options.jsonpath)
  if (!options.paginate) {
    const answer = await client.call(request)
    if (find) return printFound(terminal, find, answer)
    if (answer !== undefined) await printJson(terminal, answer)
    return
  }
  if (request.method !== 'GET') throw usedWrongly('--paginate is only for GET')
  await printPages(terminal, { client, request, find })
}

interface Request {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers: Readonly<Record<string, string>>
}

async function requestOf(context: CommandContext, given: string, options: RawOptions): Promise<Request> {
  const path = given.startsWith('/') ? given : `/${given}`
  // Two slashes would name another server, which would get the token.
  if (/^\/[/\\]/.test(path)) throw usedWrongly(`"${given}" is not a path of the server; write one such as /apis`)
  const body = await bodyOf(context, options)
  const method = (options.method ?? (body === undefined ? 'GET' : 'POST')).toUpperCase()
  // The server accepts writes below /auth/ only from its own pages and from programs that say so.
  const sameSite = path.startsWith('/auth/') ? { 'sec-fetch-site': 'same-origin' } : {}
  const headers = { ...sameSite, ...Object.fromEntries(options.header.map(headerOf)) }
  if (body === undefined) return { method, path, headers }
  if (method !== 'GET' && method !== 'DELETE') {
    return { method, path, body, headers: { ...patchType(method, body), ...headers } }
  }
  const query = new URLSearchParams(
    Object.entries(body).map(([name, value]): [string, string] => [name, textOf(value)]),
  )
  return { method, path: `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`, headers }
}

function patchType(method: string, body: unknown): Readonly<Record<string, string>> {
  if (method !== 'PATCH') return {}
  return { 'content-type': `application/${Array.isArray(body) ? 'json' : 'merge'}-patch+json` }
}

async function bodyOf(
  { terminal }: CommandContext,
  { input, rawField, field, method }: RawOptions,
): Promise<object | undefined> {
  if (input !== undefined) return parsedBody(input === '-' ? await terminal.readInput() : textIn(input), input)
  if (rawField.length + field.length === 0) return undefined
  const isQuery = ['GET', 'DELETE'].includes((method ?? '').toUpperCase())
  const terms = [...rawField.map((term) => termOf(term, (text) => text)), ...field.map((term) => termOf(term, typed))]
  return terms.reduce<Fields>((body, { name, value }) => withValue(body, isQuery ? [name] : stepsOf(name), value), {})
}

function termOf(term: string, read: (text: string) => unknown): { readonly name: string; readonly value: unknown } {
  const at = term.indexOf('=')
  if (at < 1) throw usedWrongly(`a field is name=value, such as spec.title=Milk; not "${term}"`)
  return { name: term.slice(0, at), value: read(term.slice(at + 1)) }
}

/** `spec.title`, or `spec[title]` as `gh api` has it. */
function stepsOf(name: string): readonly string[] {
  return name.replaceAll(/\[([^\]]*)\]/g, '.$1').split('.')
}

function typed(text: string): unknown {
  if (text.startsWith('@')) return textIn(text.slice(1))
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw usedWrongly(`${file} cannot be read: ${whyUnreadable(error)}`)
  }
}

function parsedBody(text: string, file: string): object {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value === 'object' && value !== null) return value
  } catch (error) {
    throw usedWrongly(`${file} is not JSON: ${(error as Error).message}`)
  }
  throw usedWrongly(`${file} is neither an object nor an array`)
}

function headerOf(header: string): readonly [string, string] {
  const at = header.indexOf(':')
  if (at < 1) throw usedWrongly(`a header is "Name: value"; not "${header}"`)
  return [header.slice(0, at).trim().toLowerCase(), header.slice(at + 1).trim()]
}

interface Pages {
  readonly client: Client
  readonly request: Request
  readonly find: JsonPath | undefined
}

/** Prints each page as it arrives. A `continue` token has the rest of the query in it. */
async function printPages(terminal: Terminal, { client, request, find }: Pages): Promise<void> {
  const [base = '', query = ''] = request.path.split('?')
  const asked = new URLSearchParams(query)
  if (!asked.has('size') && !asked.has('continue')) asked.set('size', String(pageSize))
  let count = 0
  for (let next: string | undefined = asked.toString(); next !== undefined;) {
    const answer: unknown = await client.call({ ...request, path: `${base}?${next}` })
    if (!isObject(answer) || !Array.isArray(answer['items']))
      throw usedWrongly(`${base} does not answer with a list; leave out --paginate`)
    const token = answer['continue']
    next = typeof token === 'string' ? new URLSearchParams({ continue: token }).toString() : undefined
    if (find) await printFound(terminal, find, answer)
    else {
      const items = (answer['items'] as readonly unknown[]).map((item) => visibleJson(JSON.stringify(item)))
      if (items.length > 0) await terminal.write(`${count === 0 ? '{"items":[\n' : ',\n'}${items.join(',\n')}`)
      count += items.length
    }
  }
  if (!find) await terminal.write(count === 0 ? '{"items":[]}\n' : '\n]}\n')
}

async function printFound(terminal: Terminal, find: JsonPath, value: unknown): Promise<void> {
  await terminal.print(find(value).map(textOf))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : visible(JSON.stringify(value))
}
