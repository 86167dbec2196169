import { expect, test } from 'vitest'
import { deviceOf } from './device-of.ts'

test.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
    'Chrome · Linux',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36 Edg/130.0',
    'Edge · Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    'Safari · macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari · iOS',
  ],
  ['Mozilla/5.0 (Android 15; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0', 'Firefox · Android'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['', ''],
])('%s is %s', (agent, words) => {
  expect(deviceOf(agent)).toBe(words)
})

test('an unknown long user agent is truncated', () => {
  expect(deviceOf('x'.repeat(300))).toBe(`${'x'.repeat(60)}…`)
})
