/** An object as JSON says it. */
export interface SeenObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly version: number
    readonly generation: number
    readonly creationTimestamp: string
    readonly deletionTimestamp?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly finalizers?: readonly string[]
  }
  readonly spec: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

/** What a watch or a list is for, in the words of a request, and once more in plain code. */
export interface Selection {
  readonly name: string
  /** Of one object. */
  readonly object?: string
  readonly query: Readonly<Record<string, string>>
  readonly selects: (object: SeenObject) => boolean
}

/** A place in the log, as a revision says it: behind that number, and behind the named changes further on. */
export interface Place {
  readonly number: number
  readonly tag: string
  readonly skipped: readonly string[]
}

export function placeOf(revision: string): Place {
  const [number = '', tag = '', ...skipped] = revision.split('.')
  return { number: Number(number), tag, skipped }
}

export function revisionOf({ number, tag, skipped }: Place): string {
  return [number, tag, ...skipped].join('.')
}

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** What a reader got. */
export type Frame =
  | { readonly type: EventType; readonly at: number; readonly place?: Place; readonly object: SeenObject }
  | { readonly type: 'BOOKMARK'; readonly at: number; readonly place: Place }
  | { readonly type: 'ERROR'; readonly at: number; readonly place?: Place; readonly status: number }

/** One stream, from its request to its end. */
export interface Session {
  readonly replica: number
  readonly transport: Transport
  readonly start: 'initial' | 'now' | Place
  /** When the server had said that it begins; never, for one that was refused. */
  openedAt?: number
  readonly frames: Frame[]
  /** Frames that could not be understood, in words. */
  readonly malformed: string[]
  /** Why it ended; undefined while it goes on. */
  end?: string
}

type Transport = 'WebSocket' | 'event stream'

export interface TakenList {
  readonly place: Place
  readonly items: readonly SeenObject[]
  readonly replica: number
}

/** Streams of which each goes on where the one before has ended. Behind a 410 another lineage begins. */
export interface Lineage {
  readonly reader: string
  readonly selection: Selection
  /** What the first stream goes on from, unless it begins by itself. */
  readonly list?: TakenList
  readonly sessions: Session[]
  /** Its last stream was open when everything had come to rest: nothing may be missing at its end. */
  settled: boolean
}

/** What somebody asked the server to do. */
export interface Operation {
  readonly verb: 'create' | 'update' | 'enlarge' | 'patch' | 'status' | 'delete' | 'release'
  readonly name: string
  /** Stands in what is written, and nowhere else. */
  readonly mark: string
  readonly began: number
  readonly ended: number
  /** Nobody knows whether it was done when the connection broke, or the server failed. */
  readonly outcome: 'done' | 'refused' | 'unknown'
  /** Of what was done. */
  readonly uid?: string
}
