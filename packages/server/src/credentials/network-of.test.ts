import { describe, expect, test } from 'vitest'
import { networkOf } from './network-of.ts'

describe('failed logins are counted by', () => {
  const rows = [
    ['the IPv4 address', '192.0.2.7', '192.0.2.7'],
    ['the IPv4 address inside IPv6', '::ffff:192.0.2.7', '192.0.2.7'],
    ['the IPv6 network', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['the IPv6 network, abbreviated', '2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['a network with zeros inside', '2001:db8::1', '2001:db8:0:0::/64'],
    ['a network with leading zeros', '2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['the loopback network', '::1', '0:0:0:0::/64'],
    ['the network without the interface', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['the text itself if it is not an address', '', ''],
  ] as const
  for (const [what, address, network] of rows) test(what, () => expect(networkOf(address)).toBe(network))
})
