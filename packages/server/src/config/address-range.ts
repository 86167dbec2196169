import { isIP } from 'node:net'

/** Whether an address is in the configured ranges. */
export type AddressRanges = (address: string) => boolean

interface Range {
  readonly network: bigint
  /** The number of trailing bits that do not count. */
  readonly free: bigint
}

const ipv4Prefix = 0xffff_0000_0000n

/** From validated texts: each an address, or a range such as `10.0.0.0/8`. */
export function addressRanges(texts: readonly string[]): AddressRanges {
  const ranges = texts.flatMap((text) => readRange(text) ?? [])
  return (address) => {
    const number = ranges.length === 0 ? undefined : numberOf(address)
    return number !== undefined && ranges.some(({ network, free }) => number >> free === network >> free)
  }
}

/** Why a text is not a range, in words that follow its setting; undefined when it is. */
export function faultOfRange(text: string): string | undefined {
  const range = readRange(text)
  if (!range) return 'must be an address such as 10.0.0.7 or a range such as 10.0.0.0/8 or fd00::/8'
  const { network, free } = range
  const holdsAllOfIpv4 = free >= 32n && network >> free === ipv4Prefix >> free
  if (holdsAllOfIpv4) return 'would trust every client; list the addresses of your own proxies'
  if ((network >> free) << free === network) return undefined
  const [address] = text.split('/')
  return `has bits set after its prefix; write the first address of the range, or ${address} alone`
}

/**
 * The canonical form of an address for comparison and logs: IPv4-mapped IPv6 as IPv4, without port, zone or brackets. Undefined
 * for text that is not an address.
 */
export function plainAddress(text: string): string | undefined {
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? []
  const [, withPort] = /^([\d.]+):\d{1,5}$/.exec(text) ?? []
  const address = (bracketed ?? withPort ?? text).replace(/%.*$/, '')
  const family = isIP(address)
  if (family === 4) return address
  if (family !== 6) return undefined
  const number = numberOf(address) ?? 0n
  if (number >> 32n === 0xffffn) return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn).join('.')
  // The URL parser produces the shortest form.
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

function readRange(text: string): Range | undefined {
  const [, address = '', prefix] = /^([^/]*?)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const network = numberOf(address)
  const width = isIP(address) === 4 ? 32 : 128
  const bits = prefix === undefined ? width : Number(prefix)
  return network === undefined || bits > width ? undefined : { network, free: BigInt(width - bits) }
}

/** All addresses as one number; IPv4 at its mapped position in IPv6. */
function numberOf(address: string): bigint | undefined {
  const family = isIP(address)
  if (family === 4) return ipv4Prefix | joined(address.split('.').map(Number), 8n)
  if (family !== 6 || address.includes('%')) return undefined
  const [head = '', tail] = address.replace(/[\d.]+\.\d+$/, inWords).split('::')
  const before = wordsOf(head)
  const after = wordsOf(tail ?? '')
  const between = Array.from({ length: 8 - before.length - after.length }, () => 0)
  return joined([...before, ...between, ...after], 16n)
}

function wordsOf(part: string): readonly number[] {
  return part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16))
}

/** `1.2.3.4` at the end of an IPv6 address, as its last two words. */
function inWords(dotted: string): string {
  const number = joined(dotted.split('.').map(Number), 8n)
  return `${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`
}

function joined(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((sum, part) => (sum << width) | BigInt(part), 0n)
}
