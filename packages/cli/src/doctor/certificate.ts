import { once } from 'node:events'
import { connect } from 'node:tls'

/** Expiry of a server's certificate, in milliseconds. Accepts invalid certificates too, because it sends nothing. */
export async function certificateEnd(url: string, signal: AbortSignal): Promise<number> {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({
    host,
    port: Number(port || 443),
    rejectUnauthorized: false,
    ...(/^[\d.:]+$/.test(host) ? {} : { servername: host }),
  })
  try {
    await once(socket, 'secureConnect', { signal })
    return Date.parse(socket.getPeerCertificate().valid_to)
  } finally {
    socket.destroy()
  }
}
