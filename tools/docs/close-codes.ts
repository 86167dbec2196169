import type { Reason } from '../../packages/api/src/problem.ts'
import { closeCodes, problemCloseCode } from '../../packages/server/src/call/close-codes.ts'
import { table } from './markdown.ts'

type Code = keyof typeof closeCodes

/** Close codes of a watch that end it without a problem. */
const watchCloses: Readonly<Record<Code, readonly [meaning: string, client: string] | undefined>> = {
  done: ['The stream lasted 30 to 60 minutes; a `BOOKMARK` came before.', 'Reconnect from the last revision.'],
  notAllowed: ['The client sent a message. A watch takes none.', 'Correct the client.'],
  goingAway: undefined,
  failed: undefined,
}

const reconnect = 'Reconnect from the last revision, with increasing delays.'

/** Problems that end an open watch. Earlier problems are ordinary HTTP responses. */
const watchProblems: Readonly<Partial<Record<Reason, readonly [meaning: string, client: string]>>> = {
  Unauthenticated: ['The session or token has ended.', 'Sign in again.'],
  Forbidden: ['The right to watch was taken away.', 'Stop.'],
  RevisionExpired: [
    'The revision is no longer kept, or the selector uses an index that is younger.',
    'List again, and watch from the revision of the list.',
  ],
  TooManyRequests: [
    'The client reads too slowly: 1 MiB waits for it.',
    'Reconnect from the last revision; select less.',
  ],
  Internal: ['The server failed; its log has the request id.', reconnect],
  Unavailable: ['The database cannot be reached.', reconnect],
  Draining: ['The server stops.', 'Reconnect from the last revision after a short random delay.'],
}

/** Close codes of a plugin's WebSocket. */
const streamCloses: Readonly<Record<Code, readonly [meaning: string, client: string] | undefined>> = {
  done: ['The plugin has finished.', 'As the plugin says.'],
  goingAway: [
    'The server or the plugin stops; 30 to 60 minutes are over; nothing was sent for 60 seconds.',
    'Reconnect after a short random delay. Send pings to stay.',
  ],
  notAllowed: ['The right, session or token has ended.', 'Sign in again, or stop.'],
  failed: ['The plugin has failed or exited.', 'Reconnect with increasing delays.'],
}

const head = ['Code', 'Meaning', 'What the client does']

export function watchCloseTable(): string {
  const plain = codeRows(watchCloses)
  const rows = Object.entries(watchProblems).map(([name, [meaning, client]]) => {
    const reason = name as Reason
    return [`\`${problemCloseCode(reason)}\``, `\`${reason}\`: ${meaning}`, client]
  })
  return table(head, [...plain, ...rows])
}

export function streamCloseTable(): string {
  return table(head, codeRows(streamCloses))
}

function codeRows(closes: typeof streamCloses): readonly (readonly string[])[] {
  return Object.entries(closeCodes).flatMap(([name, code]) => {
    const said = closes[name as Code]
    return said ? [[`\`${code}\``, ...said]] : []
  })
}
