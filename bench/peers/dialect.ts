import type { Operation } from '../http/requests.ts'
import { cities, newPerson, type Person } from './people.ts'

/** How a product wants its requests. */
export interface Dialect {
  /** Value of `authorization`. */
  readonly authorization: string
  /** Path of the collection. */
  readonly collection: string
  /** Path of the person with this number. */
  readonly pathOf: (at: number) => string
  /** Query of a page of 20 of a city, oldest first. */
  readonly pageOf: (city: string, withTotal: boolean) => string
  readonly bodyOf: (person: Person) => object
  readonly created: number
  readonly change: {
    readonly method: 'PATCH' | 'PUT'
    readonly contentType: string
    readonly bodyOf: (fields: Partial<Person>) => object
  }
  /** The fields of an answered person. */
  readonly fieldsOf: (answered: unknown) => Partial<Person>
}

export interface Request {
  readonly method: string
  readonly path: string
  readonly contentType?: string
  readonly body?: object
}

export function getting(dialect: Dialect, at: number): Request {
  return { method: 'GET', path: dialect.pathOf(at) }
}

export function creating(dialect: Dialect, person: Person): Request {
  const { collection: path, bodyOf } = dialect
  return { method: 'POST', path, contentType: 'application/json', body: bodyOf(person) }
}

export function changing(dialect: Dialect, at: number, fields: Partial<Person>): Request {
  const { method, contentType, bodyOf } = dialect.change
  return { method, path: dialect.pathOf(at), contentType, body: bodyOf(fields) }
}

export interface OperationsOptions {
  /** People numbered 1 to this are stored. */
  readonly rows: number
  /** Begins the keys of created people, which must differ between runs on one database. */
  readonly run: string
}

/** The measured requests of a product. */
export function operationsOf(dialect: Dialect, { rows, run }: OperationsOptions): readonly Operation[] {
  let made = 0
  let changes = 0
  const existing = (at: number) => 1 + ((at * 7919) % rows)
  const bytes = (request: Request) => bytesOf(request, dialect)
  const list = (at: number, withTotal: boolean) => {
    const query = dialect.pageOf(`city-${(at * 31) % cities}`, withTotal)
    return bytes({ method: 'GET', path: `${dialect.collection}?${query}` })
  }
  return [
    { name: 'get', status: 200, request: (at) => bytes(getting(dialect, existing(at))) },
    { name: 'list 20, filter, sort', status: 200, request: (at) => list(at, false) },
    { name: 'list 20, filter, sort, total', status: 200, request: (at) => list(at, true) },
    {
      name: 'update',
      status: 200,
      // A counter, so that each changes something.
      request: (at) => bytes(changing(dialect, existing(at), { name: `Changed ${++changes}` })),
    },
    {
      name: 'create',
      status: dialect.created,
      request: () => bytes(creating(dialect, newPerson(`${run}-${++made}`))),
    },
  ]
}

function bytesOf({ method, path, contentType, body }: Request, { authorization }: Dialect): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const more = text && `content-type: ${contentType}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\n${more}\r\n${text}`,
  )
}

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Sends one request outside of a measurement. */
export async function answerTo(url: string, dialect: Dialect, request: Request): Promise<Answer> {
  const { method, path, contentType, body } = request
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: dialect.authorization,
      ...(contentType !== undefined && { 'content-type': contentType }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  })
  return { status: response.status, body: await response.json() }
}
