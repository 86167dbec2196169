import { Socket } from 'node:net'
import { Client } from 'pg'

/** A connection of its own for one examination; cut at once when the signal aborts, even if the server hangs. */
export async function withBriefConnection<T>(
  url: string,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const socket = new Socket()
  const client = new Client({ connectionString: url, application_name: 'pergola doctor', stream: () => socket })
  const cut = () => socket.destroy()
  // Without a listener, an `error` event would end the process.
  client.on('error', () => {})
  signal.addEventListener('abort', cut, { once: true })
  try {
    signal.throwIfAborted()
    await client.connect()
    return await work(client)
  } finally {
    signal.removeEventListener('abort', cut)
    // Not awaited: the connection may be the one that hangs.
    client.end().catch(() => {})
  }
}
