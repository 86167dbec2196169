import type { Answer } from './call.ts'
import type { ProxiedAnswer } from './proxied-answer.ts'
import type { Stream } from './wire.ts'

/**
 * The result of a request: an `Answer` with a whole or a streamed body; a `Stream`, which continues as a WebSocket or an event
 * stream; or a `ProxiedAnswer`, which a plugin answers.
 */
export type Reply = Answer | Stream | ProxiedAnswer
