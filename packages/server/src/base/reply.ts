import type { Answer } from './call.ts'
import type { Relay } from './relay.ts'
import type { Stream } from './wire.ts'

/**
 * What a request comes to: an `Answer` with a whole or a streamed body; a `Stream`, which goes on as a WebSocket or as an
 * event stream; or a `Relay`, which somebody else answers.
 */
export type Reply = Answer | Stream | Relay
