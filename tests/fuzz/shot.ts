import type { DescribedModel, Json } from './documents.ts'
import type { Random } from './random.ts'
import type { Answer, Line } from './sender.ts'

export const kinds = ['valid', 'near-valid', 'hostile'] as const
export type Kind = (typeof kinds)[number]

/** One request and what is known of its answer beforehand. */
export interface Shot {
  readonly kind: Kind
  /** What was done, in a word or two. */
  readonly what: string
  readonly line: Line
  /** Sent as they are, in place of the line. */
  readonly bytes?: Buffer
  /** `accepted` allows for conflicts with other objects; `any` is everything but a failure of the server. */
  readonly expected: 'accepted' | 'refused' | 'any'
  /** Answers what is wrong with an answer that was accepted. */
  readonly check?: (body: unknown, answer: Answer) => string | undefined
  /** What is only known now to be worth asking. */
  readonly next?: (body: unknown, answer: Answer) => readonly Shot[]
}

/** An object of our own, as it was last answered. */
export interface KnownObject {
  readonly name: string
  readonly body: Json & { readonly metadata: KnownMetadata }
}

interface KnownMetadata extends Json {
  readonly name: string
  readonly uid: string
  readonly version: number
}

/** What one sender knows; nobody else touches its objects, so that its requests repeat. */
export interface World {
  readonly random: Random
  /** Its label, and the beginning of the names of its objects. */
  readonly own: string
  readonly models: readonly DescribedModel[]
  readonly objects: ReadonlyMap<DescribedModel, Map<string, KnownObject>>
  /** A name that was never used. */
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

/** What a client owns of an object, but for its metadata. */
export function contentOf(object: Json): Json {
  const { apiVersion: _, kind: __, metadata: ___, ...content } = object
  return content
}

export function known({ objects, random }: World, model: DescribedModel): KnownObject | undefined {
  const all = [...(objects.get(model)?.values() ?? [])]
  return all.length === 0 ? undefined : random.pick(all)
}

/** Groups of the host hold what it runs by; only objects of our own are changed there, and never deleted by selector. */
export function isOwn({ path }: DescribedModel): boolean {
  return path.includes('.example.com/')
}

export function tagOf({ body }: KnownObject): string {
  return `"${body.metadata.uid}.${body.metadata.version}"`
}
