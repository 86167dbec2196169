import { describe, expect, test } from 'vitest'
import { headersFromPlugin, headersToPlugin } from './forwarded-headers.ts'

const anonymous = { name: undefined, token: 'pgc_0' }
const requestId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const handedOn = { authorization: 'Bearer pgp_start', requestId, caller: anonymous }
const ours = {
  authorization: 'Bearer pgp_start',
  'pergola-request-id': requestId,
  'pergola-caller-token': 'pgc_0',
  traceparent: '00-3f2504e04f8941d39a0c0305e82c3301-9a0c0305e82c3301-00',
}

describe('headers to a plugin', () => {
  test('include the headers of the request', () => {
    const headers = { accept: 'text/plain', 'content-type': 'text/csv', 'content-length': '3', 'x-own': ['a', 'b'] }
    expect(headersToPlugin(headers, handedOn)).toEqual({ ...headers, ...ours })
  })

  test('include the caller and the caller token', () => {
    const caller = { name: 'ann', token: 'pgc_1' }
    expect(headersToPlugin({}, { ...handedOn, caller })).toEqual({
      ...ours,
      'pergola-caller': 'ann',
      'pergola-caller-token': 'pgc_1',
    })
  })

  const secret: readonly (readonly [name: string, value: string])[] = [
    ['cookie', '__Host-pergola-session=pgs_x'],
    ['authorization', 'Bearer pgl_x'],
    ['proxy-authorization', 'Basic eDp4'],
    ['pergola-caller', 'admin'],
    ['pergola-caller-token', 'forged'],
    ['pergola-request-id', 'forged'],
    ['pergola-anything', 'forged'],
    ['traceparent', 'forged'],
    ['tracestate', 'forged'],
    ['host', 'pergola.example.com'],
    ['expect', '100-continue'],
    ['connection', 'keep-alive'],
    ['keep-alive', 'timeout=5'],
    ['te', 'trailers'],
    ['transfer-encoding', 'chunked'],
    ['upgrade', 'h2c'],
  ]
  for (const [name, value] of secret) {
    test(`do not include ${name} of the client`, () => {
      expect(headersToPlugin({ [name]: value }, handedOn)).toEqual(ours)
    })
  }

  test('do not include headers that Connection names', () => {
    expect(headersToPlugin({ connection: 'close, X-Hop', 'x-hop': '1', 'x-other': '2' }, handedOn)).toEqual({
      'x-other': '2',
      ...ours,
    })
  })
})

describe('headers from a plugin', () => {
  const answered = {
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
    'pergola-request-id': 'r-1',
  }

  test('include those about the content and its caching', () => {
    const headers = {
      'content-type': 'text/html',
      'content-length': '3',
      etag: '"1"',
      link: ['<a>', '<b>'],
      'ratelimit-policy': '1',
    }
    expect(headersFromPlugin(headers, { requestId: 'r-1' })).toEqual({ ...headers, ...answered })
  })

  test('include those that the route names', () => {
    const headers = { 'x-total': '3', 'x-other': '4' }
    expect(headersFromPlugin(headers, { requestId: 'r-1', named: ['x-total'] })).toEqual({
      'x-total': '3',
      ...answered,
    })
  })

  const dropped = ['set-cookie', 'nel', 'x-any', 'content-security-policy', 'pergola-request-id', 'connection', 'date']
  for (const name of dropped) {
    test(`do not include ${name} of the plugin`, () => {
      expect(headersFromPlugin({ [name]: 'x' }, { requestId: 'r-1' })).toEqual(answered)
    })
  }

  test('do not include headers that Connection names', () => {
    expect(headersFromPlugin({ connection: 'etag', etag: '"1"' }, { requestId: 'r-1' })).toEqual(answered)
  })
})
