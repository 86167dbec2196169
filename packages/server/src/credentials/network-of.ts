import { isIPv6 } from 'node:net'

const groupsOfNetwork = 4
const groupsInAll = 8

/**
 * The network of one subscriber: an IPv4 address, or a /64 network in IPv6, where a client can use another address for every
 * request. An IPv4-mapped IPv6 address is treated as IPv4.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/%.*$/, '')
  const [, old] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain) ?? []
  if (old !== undefined || !isIPv6(plain)) return old ?? address
  const [before = [], after = []] = plain.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Math.max(0, groupsInAll - before.length - after.length)
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after]
  const network = groups.slice(0, groupsOfNetwork).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
