import { describe, expect, test } from 'vitest'
import { networkOf } from './network-of.ts'

describe('who fails to sign in is known by', () => {
  const rows = [
    ['its address', '192.0.2.7', '192.0.2.7'],
    ['the same in new clothes', '::ffff:192.0.2.7', '192.0.2.7'],
    ['its network', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['the same network, written short', '2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['a network with zeros inside', '2001:db8::1', '2001:db8:0:0::/64'],
    ['a network with leading zeros', '2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['the network of this machine', '::1', '0:0:0:0::/64'],
    ['its network, whatever the interface', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['what there is, when that is no address', '', ''],
  ] as const
  for (const [what, address, network] of rows) test(what, () => expect(networkOf(address)).toBe(network))
})
