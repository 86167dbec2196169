import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Answer } from '../call/call.ts'

/** Writes a response to a socket without Node's response object, and closes the connection. */
export function writeRaw(
  connection: Duplex,
  answer: Answer & { readonly body: Buffer },
  marks: Readonly<Record<string, string>>,
): void {
  const { status, contentType, headers = {}, body } = answer
  const fields = {
    ...headers,
    'content-type': contentType,
    'content-length': body.length,
    ...marks,
    'x-content-type-options': 'nosniff',
    connection: 'close',
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  connection.write(`${[`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines].join('\r\n')}\r\n\r\n`)
  connection.end(body)
}
