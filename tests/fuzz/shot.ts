import type { DescribedModel, Json } from './documents.ts'
import type { Random } from './random.ts'
import type { Answer, Line } from './sender.ts'

export const kinds = ['valid', 'near-valid', 'hostile'] as const
export type Kind = (typeof kinds)[number]

/** One request with the expectation for its response. */
export interface Shot {
  readonly kind: Kind
  /** Short label of the request. */
  readonly what: string
  readonly line: Line
  /** Raw bytes to send instead of the request. */
  readonly bytes?: Buffer
  /** `accepted` allows for conflicts with other objects; `any` is everything but a failure of the server. */
  readonly expected: 'accepted' | 'refused' | 'any'
  /** Returns the faults of a successful response. */
  readonly check?: (body: unknown, answer: Answer) => string | undefined
  /** A follow-up request that depends on the response. */
  readonly next?: (body: unknown, answer: Answer) => readonly Shot[]
}

/** An object of the sender in its last known state. */
export interface KnownObject {
  readonly name: string
  readonly body: Json & { readonly metadata: KnownMetadata }
}

interface KnownMetadata extends Json {
  readonly name: string
  readonly uid: string
  readonly version: number
}

/** State of one sender. Senders do not share objects, so that a run is repeatable. */
export interface World {
  readonly random: Random
  /** Label of the sender, and prefix of its object names. */
  readonly own: string
  readonly models: readonly DescribedModel[]
  readonly objects: ReadonlyMap<DescribedModel, Map<string, KnownObject>>
  /** A new unique name. */
  freshName(): string
}

const json = { 'content-type': 'application/json' }

function bodyOf(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
}

export function read(path: string, headers: Line['headers'] = {}): Line {
  return { method: 'GET', path, headers }
}

export function write(method: string, path: string, body: unknown, headers: Line['headers'] = {}): Line {
  return { method, path, headers: { ...json, ...headers }, body: Buffer.isBuffer(body) ? body : bodyOf(body) }
}

/** The fields of an object that a client sets, without metadata. */
export function contentOf(object: Json): Json {
  const { apiVersion: _, kind: __, metadata: ___, ...content } = object
  return content
}

export function known({ objects, random }: World, model: DescribedModel): KnownObject | undefined {
  const all = [...(objects.get(model)?.values() ?? [])]
  return all.length === 0 ? undefined : random.pick(all)
}

/** Groups of the host contain its own objects: there, a sender changes only its own objects and never deletes by selector. */
export function isOwn({ path }: DescribedModel): boolean {
  return path.includes('.example.com/')
}

export function tagOf({ body }: KnownObject): string {
  return `"${body.metadata.uid}.${body.metadata.version}"`
}
