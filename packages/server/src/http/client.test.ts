import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createClientReader } from './client.ts'

const proxies = ['10.0.0.0/8', 'fd00::/8']
const read = (peer: string, headers: Record<string, string>, trusted = proxies) =>
  createClientReader(trusted)({ headers, socket: { remoteAddress: peer } as Socket })

describe('the client of a request', () => {
  const cases: readonly (readonly [what: string, peer: string, forwardedFor: string, address: string])[] = [
    ['is the peer', '192.0.2.1', '', '192.0.2.1'],
    ['is an untrusted peer, whatever it forwards', '192.0.2.1', '198.51.100.1', '192.0.2.1'],
    ['is the address from a trusted proxy', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['is the nearest untrusted address', '10.0.0.1', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['is found behind several proxies', '10.0.0.1', '6.6.6.6,198.51.100.1,10.0.0.3, 10.0.0.2', '198.51.100.1'],
    ['is the first proxy when all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['is the proxy itself without a header', '10.0.0.1', '', '10.0.0.1'],
    ['is not searched beyond an invalid address', '10.0.0.1', '198.51.100.1, unknown, 10.0.0.2', '10.0.0.2'],
    ['is not searched beyond an empty entry', '10.0.0.1', '198.51.100.1,,10.0.0.2', '10.0.0.2'],
    ['may have a port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['may be IPv6', 'fd00::1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['is found behind IPv4 inside IPv6', '::ffff:10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['is normalized to IPv4', '::ffff:192.0.2.1', '', '192.0.2.1'],
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
  test('has host and scheme from a trusted proxy', () => {
    expect(read('10.0.0.1', forwarded)).toMatchObject({ host: 'pergola.example.com', scheme: 'https' })
  })

  test('has the host of its own request without a trusted proxy', () => {
    expect(read('192.0.2.1', forwarded)).toMatchObject({ host: 'inner:8090', scheme: undefined, address: '192.0.2.1' })
    expect(read('10.0.0.1', forwarded, [])).toMatchObject({ host: 'inner:8090', scheme: undefined })
  })
})
