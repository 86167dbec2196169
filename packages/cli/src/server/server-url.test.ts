import { describe, expect, test } from 'vitest'
import { serverUrl } from './server-url.ts'

describe('a server address is normalised', () => {
  test.each([
    ['https://pergola.example.com', 'https://pergola.example.com'],
    ['https://pergola.example.com/', 'https://pergola.example.com'],
    ['https://pergola.example.com:8443/base/', 'https://pergola.example.com:8443/base'],
    ['pergola.example.com', 'https://pergola.example.com'],
    ['http://localhost:8090', 'http://localhost:8090'],
    ['localhost:8090', 'http://localhost:8090'],
    ['127.0.0.1', 'http://127.0.0.1'],
    ['https://localhost:8443', 'https://localhost:8443'],
    ['http://127.0.0.1:8090', 'http://127.0.0.1:8090'],
    ['http://[::1]:8090', 'http://[::1]:8090'],
  ])('%s to %s', (text, kept) => expect(serverUrl(text)).toBe(kept))
  test('plain http to another machine is accepted with insecureHttp', () =>
    expect(serverUrl('http://192.0.2.1', { insecureHttp: true })).toBe('http://192.0.2.1'))
})

describe('a server address is rejected', () => {
  test.each([
    ['http://192.0.2.1', /plain http.*--insecure-http/],
    ['http://127.0.0.1.example.com', /plain http/],
    ['http://localhost.example.com', /plain http/],
    ['https://a:b@pergola.example', /user name or password/],
    ['ftp://pergola.example', /not a server URL/],
    ['https://', /not a server URL/],
  ])('%s', (text, words) => expect(() => serverUrl(text)).toThrow(words))
})
