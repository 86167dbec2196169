import type { IncomingHttpHeaders } from 'node:http'
import type { Reason, RequestHead, RequestInfo } from '@pergola/api'

/** A request as received, before authentication. */
export interface IncomingRequest extends RequestHead {
  /** Names the request in its log line and in problems. */
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly query: URLSearchParams
  /** Reads the whole body; more than `limit` bytes is `PayloadTooLarge`. Call it once. */
  readBody(limit: number): Promise<Buffer>
  /** Aborts when the client disconnects, or is cut off at shutdown, before it has its answer. */
  signal(): AbortSignal
  /** Address of the client. */
  readonly address: string
  /**
   * Adds facts to the request's log line; `account`, the account concerned, also to the audit log. Each of the `operations` of
   * a batch gets a line of its own in the audit log and is not added to the log line.
   */
  note(facts: {
    readonly account?: string
    readonly operations?: readonly NotedOperation[]
    readonly [fact: string]: unknown
  }): void
}

/** An operation of a batch, for the audit log. */
export interface NotedOperation {
  /** The equivalent single request. */
  readonly info: RequestInfo
  /** Set for a new object too. */
  readonly name?: string | undefined
  /** The role whose rule allowed it. */
  readonly by?: string
  /** Why it was denied or could not be done; absent for an operation that is not at fault. */
  readonly reason?: Reason
}

/** Who sends a request. `anonymous` has no name; everything it may do comes from its roles. */
export type Caller = UserCaller | PluginCaller | ({ readonly kind: 'anonymous' } & Through)

/** A plugin acting for itself. */
export interface PluginCaller {
  readonly kind: 'plugin'
  /** `plugin:todo`, which no user name can be. */
  readonly name: `plugin:${string}`
  readonly plugin: string
  /** Identifies this process among all processes of the plugin, on all replicas and over time. */
  readonly start: string
  /** The groups that the plugin claims; absent if the host acts as the plugin. */
  readonly groups?: readonly string[]
}

interface Through {
  /** The plugin that acts for the caller: only rights that both have count. */
  readonly through?: string
}

export interface UserCaller extends Through {
  readonly kind: 'user'
  readonly name: string
  readonly uid: string
  /** Name of the personal access token in use. */
  readonly tokenName?: string
  /** How the caller was authenticated. */
  readonly via: 'cookie' | 'token'
  readonly sessionId?: string
  /** Only these of its roles count. */
  readonly narrowedTo?: readonly string[]
  /** When the credential, or one of its roles, expires. */
  readonly expiresAt?: number
}

/** A request that was classified and authorized. */
export interface Call {
  readonly info: RequestInfo
  readonly caller: Caller
  readonly request: IncomingRequest
  /** Looks the credential up again, for effects that outlast the request; throws if the credential has ended. */
  readonly authenticate: () => Promise<Caller>
  /** For long-lived answers: authenticates and authorizes again; throws when that fails. */
  readonly recheck: () => Promise<Caller>
}

/** The result of a handler; http turns it into a response. */
export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
  /** Each cookie needs a header of its own. */
  readonly cookies?: readonly string[]
  /** A sequence of buffers is streamed at the reader's pace; an exception resets the connection. */
  readonly body: Buffer | AsyncIterable<Buffer>
  /** Whether the body may be compressed: not if it is about secrets or credentials, because its size would help to guess them. */
  readonly mayCompress?: boolean
  /** Called when the response is over, however much of the body was read. */
  readonly end?: () => void
}

export type Handler = (call: Call) => Promise<Answer>
