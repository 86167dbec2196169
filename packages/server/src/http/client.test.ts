import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createClientReader } from './client.ts'

const proxies = ['10.0.0.0/8', 'fd00::/8']
const read = (peer: string, headers: Record<string, string>, trusted = proxies) =>
  createClientReader(trusted)({ headers, socket: { remoteAddress: peer } as Socket })

describe('the client of a request', () => {
  const cases: readonly (readonly [what: string, peer: string, forwardedFor: string, address: string])[] = [
    ['is whoever connects', '192.0.2.1', '', '192.0.2.1'],
    ['is whoever connects, whatever it says', '192.0.2.1', '198.51.100.1', '192.0.2.1'],
    ['is whom a trusted proxy names', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    [
      'is the nearest that is not trusted, not what that one wrote',
      '10.0.0.1',
      '6.6.6.6, 198.51.100.1',
      '198.51.100.1',
    ],
    ['is found behind several proxies', '10.0.0.1', '6.6.6.6,198.51.100.1,10.0.0.3, 10.0.0.2', '198.51.100.1'],
    ['is the first proxy when all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['is the proxy itself when it says nothing', '10.0.0.1', '', '10.0.0.1'],
    ['is not looked for behind what is no address', '10.0.0.1', '198.51.100.1, unknown, 10.0.0.2', '10.0.0.2'],
    ['is not looked for behind an empty place', '10.0.0.1', '198.51.100.1,,10.0.0.2', '10.0.0.2'],
    ['may have a port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['may be of IPv6', 'fd00::1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['is found behind IPv4 inside IPv6', '::ffff:10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['is written as IPv4 when it is', '::ffff:192.0.2.1', '', '192.0.2.1'],
  ]
  for (const [what, peer, forwardedFor, address] of cases) {
    test(what, () => {
      const headers = forwardedFor === '' ? {} : { 'x-forwarded-for': forwardedFor }
      expect(read(peer, headers).address).toBe(address)
    })
  }

  const forwarded = {
    host: 'inner:8090',
    'x-forwarded-host': 'pergola.example.com',
    'x-forwarded-proto': 'HTTPS, http',
    forwarded: 'for=6.6.6.6;host=evil.example;proto=gopher',
  }
  test('came by the host and scheme that a trusted proxy names', () => {
    expect(read('10.0.0.1', forwarded)).toMatchObject({ host: 'pergola.example.com', scheme: 'https' })
  })

  test('came by the host it wrote itself when nobody is trusted', () => {
    expect(read('192.0.2.1', forwarded)).toMatchObject({ host: 'inner:8090', scheme: undefined, address: '192.0.2.1' })
    expect(read('10.0.0.1', forwarded, [])).toMatchObject({ host: 'inner:8090', scheme: undefined })
  })
})
