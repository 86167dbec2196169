import type { IncomingMessage } from 'node:http'
import { addressRanges, plainAddress, type AddressRanges } from '../base/address-range.ts'

/** Who asks, and by which address: as the connection has it, or as a proxy of our own says. */
export interface Client {
  readonly address: string
  /** As the client wrote it, port included; undefined when it did not. */
  readonly host: string | undefined
  /** Known only from a proxy that is trusted. */
  readonly scheme: string | undefined
  /** Somebody who is not trusted says for whom it asks. */
  readonly hasUntrustedWords: boolean
}

export type ClientReader = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => Client

/** `X-Forwarded-*` is read where it comes from a trusted proxy; anybody else could write what it likes. */
export function createClientReader(trustedProxies: readonly string[]): ClientReader {
  const isTrusted = addressRanges(trustedProxies)
  return ({ headers, socket }) => {
    const peer = plainAddress(socket.remoteAddress ?? '') ?? ''
    const forwardedFor = headers['x-forwarded-for']
    if (!isTrusted(peer)) {
      return { address: peer, host: headers.host, scheme: undefined, hasUntrustedWords: forwardedFor !== undefined }
    }
    return {
      address: clientAddress(peer, String(forwardedFor ?? ''), isTrusted),
      host: firstOf(headers['x-forwarded-host']) ?? headers.host,
      scheme: firstOf(headers['x-forwarded-proto'])?.toLowerCase(),
      hasUntrustedWords: false,
    }
  }
}

/**
 * From the right, where our own proxies write, as far as the word of a trusted one reaches. Who writes what is no address
 * is the last that is known.
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
