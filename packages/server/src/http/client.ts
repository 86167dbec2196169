import type { IncomingMessage } from 'node:http'
import { addressRanges, plainAddress, type AddressRanges } from '../config/address-range.ts'

/** Address of the client and the host it requested, from the connection or from a trusted proxy. */
export interface Client {
  readonly address: string
  /** As sent by the client, port included; undefined when missing. */
  readonly host: string | undefined
  /** Known only from a trusted proxy. */
  readonly scheme: string | undefined
  /** The request id of a trusted proxy. */
  readonly requestId?: string
  /** An untrusted peer has sent `X-Forwarded-*` headers. */
  readonly hasUntrustedWords: boolean
}

/** Characters of a proxy's request id that are logged. */
const mostRequestId = 200

export type ClientReader = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => Client

/** Reads `X-Forwarded-*` only from trusted proxies; anybody else could forge it. */
export function createClientReader(trustedProxies: readonly string[]): ClientReader {
  const isTrusted = addressRanges(trustedProxies)
  const peers = new WeakMap<IncomingMessage['socket'], string>()
  const peerOf = (socket: IncomingMessage['socket']) => {
    const known = peers.get(socket) ?? plainAddress(socket.remoteAddress ?? '') ?? ''
    peers.set(socket, known)
    return known
  }
  return ({ headers, socket }) => {
    const peer = peerOf(socket)
    const { 'x-forwarded-for': forwardedFor, 'x-request-id': requestId } = headers
    if (!isTrusted(peer)) {
      return { address: peer, host: headers.host, scheme: undefined, hasUntrustedWords: forwardedFor !== undefined }
    }
    return {
      address: clientAddress(peer, String(forwardedFor ?? ''), isTrusted),
      host: firstOf(headers['x-forwarded-host']) ?? headers.host,
      scheme: firstOf(headers['x-forwarded-proto'])?.toLowerCase(),
      ...(typeof requestId === 'string' && requestId !== '' && { requestId: requestId.slice(0, mostRequestId) }),
      hasUntrustedWords: false,
    }
  }
}

/**
 * Reads from the right, where our own proxies append, as long as the entry before was written by a trusted proxy. Stops at an
 * entry that is not an address.
 */
function clientAddress(peer: string, forwardedFor: string, isTrusted: AddressRanges): string {
  let known = peer
  let rest = forwardedFor
  while (rest !== '' && isTrusted(known)) {
    const comma = rest.lastIndexOf(',')
    const next = plainAddress(rest.slice(comma + 1).trim())
    if (next === undefined) break
    known = next
    rest = comma < 0 ? '' : rest.slice(0, comma)
  }
  return known
}

function firstOf(header: string | readonly string[] | undefined): string | undefined {
  return header === undefined ? undefined : String(header).split(',')[0]?.trim() || undefined
}
