import type { IncomingMessage } from 'node:http'
import { ApiError } from '@pergola/api'

/** Rejects several Authorization headers: Node.js keeps the first, and a proxy may have checked another one. */
export function refuseRepeatedCredentials({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 13 && name.toLowerCase() === 'authorization') count++
  }
  if (count > 1) throw new ApiError('BadRequest', 'the header Authorization is sent more than once; send one')
}
