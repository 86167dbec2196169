import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { ApiError } from '@pergola/api'
import type { Log } from '../base/log.ts'
import { problemAnswer } from '../call/problem-answer.ts'
import { writeRaw } from './raw-answer.ts'

/** Messages for errors of Node's HTTP parser. */
const faults: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the request line and headers are too large; 16 KiB are allowed',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request was not received completely in time',
}

/** The bytes are not HTTP and Node provides no response object, so writes the answer to the socket, unless one is in progress. */
export function refuseMalformed(
  { log, named }: { readonly log: Log; readonly named: Readonly<Record<string, string>> },
  cause: NodeJS.ErrnoException,
  socket: Socket,
): void {
  // No handshake, so no answer could be read.
  if ('secureConnecting' in socket && socket.secureConnecting === true) return void socket.destroy()
  const requestId = randomUUID()
  const { _httpMessage: answering } = socket as Socket & { _httpMessage?: { readonly headersSent: boolean } | null }
  if (socket.writable && !answering?.headersSent) {
    const detail = faults[cause.code ?? ''] ?? 'these bytes are not an HTTP/1.1 request'
    const answer = problemAnswer(new ApiError('BadRequest', detail), { target: '', requestId })
    writeRaw(socket, answer, { 'pergola-request-id': requestId, ...named })
  }
  // Clients that go away are no news.
  log[cause.code === 'ECONNRESET' ? 'debug' : 'info']({ requestId, code: cause.code }, 'not a request')
  socket.destroySoon()
}
