/** An object as parsed from JSON. */
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

/** The selection of a watch or list, as query and as a plain function. */
export interface Selection {
  readonly name: string
  /** Name, for a watch on one object. */
  readonly object?: string
  readonly query: Readonly<Record<string, string>>
  readonly selects: (object: SeenObject) => boolean
}

/** A position in the log from a revision: after that number and after the listed later changes. */
export interface LogPosition {
  readonly number: number
  readonly tag: string
  readonly skipped: readonly string[]
}

export function placeOf(revision: string): LogPosition {
  const [number = '', tag = '', ...skipped] = revision.split('.')
  return { number: Number(number), tag, skipped }
}

export function revisionOf({ number, tag, skipped }: LogPosition): string {
  return [number, tag, ...skipped].join('.')
}

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** An event that a reader got. */
export type Frame =
  | { readonly type: EventType; readonly at: number; readonly place?: LogPosition; readonly object: SeenObject }
  | { readonly type: 'BOOKMARK'; readonly at: number; readonly place: LogPosition }
  | { readonly type: 'ERROR'; readonly at: number; readonly place?: LogPosition; readonly status: number }

/** One stream, from its request to its end. */
export interface Session {
  readonly replica: number
  readonly transport: Transport
  readonly start: 'initial' | 'now' | LogPosition
  /** When the response began; undefined for a rejected stream. */
  openedAt?: number
  readonly frames: Frame[]
  /** Descriptions of invalid frames. */
  readonly malformed: string[]
  /** Why it ended; undefined while it is open. */
  end?: string
}

type Transport = 'WebSocket' | 'event stream'

export interface TakenList {
  readonly place: LogPosition
  readonly items: readonly SeenObject[]
  readonly replica: number
}

/** A chain of streams, each resuming where the previous one ended. After a 410 another lineage begins. */
export interface Lineage {
  readonly reader: string
  readonly selection: Selection
  /** The list that the first stream resumes from, if any. */
  readonly list?: TakenList
  readonly sessions: Session[]
  /** Whether its last stream was open at rest, so that nothing may be missing at its end. */
  settled: boolean
}

/** A write request. */
export interface Operation {
  readonly verb: 'create' | 'update' | 'enlarge' | 'patch' | 'status' | 'delete' | 'release'
  readonly name: string
  /** Unique text in the written object. */
  readonly mark: string
  readonly began: number
  readonly ended: number
  /** Unknown if the connection broke or the server failed. */
  readonly outcome: 'done' | 'refused' | 'unknown'
  /** Set if the outcome is `done`. */
  readonly uid?: string
}
