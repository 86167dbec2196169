import type { IncomingHttpHeaders } from 'node:http'
import type { RequestHead, RequestInfo } from '@pergola/api'

/** A request as it came in, before anybody has asked who sent it. */
export interface IncomingRequest extends RequestHead {
  readonly headers: IncomingHttpHeaders
  readonly query: URLSearchParams
  /** Reads the whole body; more than `limit` bytes is `PayloadTooLarge`. To be called once. */
  readBody(limit: number): Promise<Buffer>
  /** Of whoever is at the other end. */
  readonly address: string
  /** Adds to the request's line in the log. */
  note(facts: Readonly<Record<string, string>>): void
}

/** Who asks. `anonymous` has no name; everything it may do comes from its roles. */
export type Caller = UserCaller | { readonly kind: 'anonymous' }

export interface UserCaller {
  readonly kind: 'user'
  readonly name: string
  readonly uid: string
  /** How it showed who it is. */
  readonly via: 'cookie' | 'token'
  readonly sessionId?: string
  /** Only these of its roles count. */
  readonly narrowedTo?: readonly string[]
}

/** One request on its way down the line, after it was classified and allowed. */
export interface Call {
  readonly info: RequestInfo
  readonly caller: Caller
  readonly request: IncomingRequest
}

/** What a handler gives back; http turns it into a response. */
export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
  /** A sequence of buffers is streamed at the reader's pace; one that throws resets the connection. */
  readonly body: Buffer | AsyncIterable<Buffer>
  /** Called when the response is over, however much of the body was read. */
  readonly end?: () => void
}

export type Handler = (call: Call) => Promise<Answer>
