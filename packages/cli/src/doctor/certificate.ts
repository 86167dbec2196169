import { once } from 'node:events'
import { connect } from 'node:tls'

const limitMs = 10_000

/** Expiry of a server's certificate, in milliseconds. Accepts invalid certificates too, because it sends nothing. */
export async function certificateEnd(url: string): Promise<number> {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({
    host,
    port: Number(port || 443),
    rejectUnauthorized: false,
    ...(/^[\d.:]+$/.test(host) ? {} : { servername: host }),
  })
  socket.setTimeout(limitMs, () => socket.destroy(new Error(`no answer within ${limitMs / 1_000} s`)))
  try {
    await once(socket, 'secureConnect')
    return Date.parse(socket.getPeerCertificate().valid_to)
  } finally {
    socket.destroy()
  }
}
