import type { IncomingHttpHeaders } from 'node:http'
import type { RequestHead, RequestInfo } from '@pergola/api'

/** A request as it came in, before anybody has asked who sent it. */
export interface IncomingRequest extends RequestHead {
  /** What its line in the log, and a problem, calls it. */
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly query: URLSearchParams
  /** Reads the whole body; more than `limit` bytes is `PayloadTooLarge`. To be called once. */
  readBody(limit: number): Promise<Buffer>
  /** Aborts when the client has gone, or was cut because the server stops, before it had its answer. */
  signal(): AbortSignal
  /** Of whoever is at the other end. */
  readonly address: string
  /** Adds to the request's line in the log; `account`, whose account it is about, also to the audit log. */
  note(facts: { readonly account?: string; readonly [fact: string]: unknown }): void
}

/** Who asks. `anonymous` has no name; everything it may do comes from its roles. */
export type Caller = UserCaller | PluginCaller | ({ readonly kind: 'anonymous' } & Through)

/** A plugin, for itself. */
export interface PluginCaller {
  readonly kind: 'plugin'
  /** `plugin:todo`, which no user can be called. */
  readonly name: `plugin:${string}`
  readonly plugin: string
  /** Of all its processes, on all replicas and one after the other, this one. */
  readonly start: string
}

interface Through {
  /** The plugin that asks in the caller's name: only what both may counts. */
  readonly through?: string
}

export interface UserCaller extends Through {
  readonly kind: 'user'
  readonly name: string
  readonly uid: string
  /** Of the personal access token that it shows. */
  readonly tokenName?: string
  /** How it showed who it is. */
  readonly via: 'cookie' | 'token'
  readonly sessionId?: string
  /** Only these of its roles count. */
  readonly narrowedTo?: readonly string[]
  /** When what it showed, or some of what it holds, ends by itself. */
  readonly expiresAt?: number
}

/** One request on its way down the line, after it was classified and allowed. */
export interface Call {
  readonly info: RequestInfo
  readonly caller: Caller
  readonly request: IncomingRequest
  /** For what goes on: asks again who calls and whether it may, and throws when not. */
  readonly recheck: () => Promise<Caller>
}

/** What a handler gives back; http turns it into a response. */
export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
  /** Where one header would not do: each has a header of its own. */
  readonly cookies?: readonly string[]
  /** A sequence of buffers is streamed at the reader's pace; one that throws resets the connection. */
  readonly body: Buffer | AsyncIterable<Buffer>
  /** Called when the response is over, however much of the body was read. */
  readonly end?: () => void
}

export type Handler = (call: Call) => Promise<Answer>
