import { collectionPath, modelName, modelObject, modelsPath, type ModelSpec } from './models.ts'
import { expectStatus, type Answer, type RequestOptions, type Send } from './request.ts'

interface StoredMetadata {
  readonly name: string
  readonly uid: string
  readonly version: number
  readonly generation: number
  readonly creationTimestamp: string
  readonly deletionTimestamp?: string
  readonly finalizers?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

export interface StoredThing {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: StoredMetadata
  readonly spec: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

export interface List {
  readonly apiVersion: string
  readonly kind: string
  readonly page: number
  readonly size: number
  readonly total: number
  readonly totalIsEstimate: boolean
  readonly totalPages: number
  readonly first: boolean
  readonly last: boolean
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  readonly continue?: string
  readonly revision: string
  readonly items: readonly StoredThing[]
}

export type Query = Readonly<Record<string, string | readonly string[]>>

/** The objects of a model over HTTP. Methods in the past tense throw when the server rejects the request. */
export interface Collection {
  readonly spec: ModelSpec
  readonly path: string
  readonly modelPath: string
  /** Creates an object with a city, a name and the given parts. */
  create(parts?: ThingParts, options?: RequestOptions): Promise<Answer>
  created(parts?: ThingParts): Promise<StoredThing>
  get(name: string, options?: RequestOptions): Promise<Answer>
  read(name: string): Promise<StoredThing>
  put(name: string, body: unknown, options?: RequestOptions): Promise<Answer>
  updated(name: string, body: unknown): Promise<StoredThing>
  /** A merge patch unless a content type is given. */
  patch(name: string, body: unknown, options?: RequestOptions): Promise<Answer>
  delete(name: string, options?: RequestOptions): Promise<Answer>
  /** Sends a request to the collection with this query. */
  send(method: string, query: Query, options?: RequestOptions): Promise<Answer>
  listed(query?: Query): Promise<List>
  names(query?: Query): Promise<readonly string[]>
  /** Replaces the definition. */
  redefine(parts: Partial<ModelSpec>): Promise<Answer>
}

export interface ThingParts {
  readonly name?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

let names = 0

export function freshName(): string {
  return `n-${++names}`
}

/** A body as a client would send it. */
export function thing({ name = freshName(), metadata = {}, spec, status }: ThingParts = {}): {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly spec: Readonly<Record<string, unknown>>
} {
  return { metadata: { name, ...metadata }, spec: { city: 'Rome', ...spec }, ...(status && { status }) }
}

export function createCollection(request: Send, spec: ModelSpec): Collection {
  const path = collectionPath(spec)
  const modelPath = `${modelsPath}/${modelName(spec)}`
  const object =
    (method: string) =>
    (name: string, body: unknown, options: RequestOptions = {}) =>
      request(method, `${path}/${name}`, { body, ...options })
  const create: Collection['create'] = (parts, options) => request('POST', path, { body: thing(parts), ...options })
  const put = object('PUT')
  const sendQuery: Collection['send'] = (method, query, options) =>
    request(method, `${path}?${queryString(query)}`, options)
  const listed: Collection['listed'] = async (query = {}) => accepted(await sendQuery('GET', query), 200) as List
  const get: Collection['get'] = (name, options) => request('GET', `${path}/${name}`, options)
  return {
    spec,
    path,
    modelPath,
    create,
    created: async (parts) => accepted(await create(parts), 201) as StoredThing,
    get,
    read: async (name) => accepted(await get(name), 200) as StoredThing,
    put,
    updated: async (name, body) => accepted(await put(name, body), 200) as StoredThing,
    patch: (name, body, { headers, ...options } = {}) =>
      object('PATCH')(name, body, { ...options, headers: { 'content-type': mergePatch, ...headers } }),
    delete: (name, options) => request('DELETE', `${path}/${name}`, options),
    send: sendQuery,
    listed,
    names: async (query) => (await listed(query)).items.map(({ metadata }) => metadata.name),
    redefine: async (parts) => redefine(request, modelPath, { ...spec, ...parts }),
  }
}

export const mergePatch = 'application/merge-patch+json'
export const jsonPatch = 'application/json-patch+json'

async function redefine(request: Send, modelPath: string, spec: ModelSpec): Promise<Answer> {
  const answer = await request('PUT', modelPath, { body: modelObject(spec, { name: modelPath.split('/').at(-1) }) })
  expectStatus(answer, 200)
  return answer
}

function accepted(answer: Answer, status: number): unknown {
  expectStatus(answer, status)
  return answer.body
}

function queryString(query: Query): string {
  const pairs = Object.entries(query).flatMap(([key, values]) => [values].flat().map((value) => [key, value]))
  return pairs.map(([key = '', value = '']) => `${key}=${encodeURIComponent(value)}`).join('&')
}

/** The object as a client sends it back: without server-owned metadata, unless `changes` contains it. */
export function sentBack(
  { metadata, spec, status }: StoredThing,
  changes: { metadata?: object; spec?: object; status?: object } = {},
): object {
  const { name, labels, annotations, finalizers } = metadata
  const kept = {
    name,
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(finalizers && { finalizers }),
  }
  return {
    metadata: { ...kept, ...changes.metadata },
    spec: { ...spec, ...changes.spec },
    ...((status ?? changes.status) && { status: { ...status, ...changes.status } }),
  }
}
