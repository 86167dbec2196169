import { describe, expect, test } from 'vitest'
import { createLog } from '../base/log.ts'
import type { Client } from './client.ts'
import { createPublicUrlCheck } from './public-url-check.ts'

function createCheck(publicUrl: string, isSet = true) {
  const lines: { readonly setting: string; readonly msg: string }[] = []
  const log = createLog({ level: 'info', pretty: false, write: (line) => lines.push(JSON.parse(line)) })
  const check = createPublicUrlCheck({ publicUrl: () => publicUrl, isSet, log })
  return {
    lines,
    ask: (sent: Partial<Client>, target = '/apis') =>
      check({ address: '192.0.2.1', host: undefined, scheme: undefined, hasUntrustedWords: false, ...sent }, target),
  }
}

const ours = 'https://pergola.example.com'

describe('no warning for', () => {
  const cases: readonly (readonly [what: string, sent: Partial<Client>, publicUrl: string, isSet: boolean])[] = [
    ['the right host', { host: 'pergola.example.com' }, ours, true],
    ['the right host in another case', { host: 'Pergola.Example.COM' }, ours, true],
    ['the default port', { host: 'pergola.example.com:443' }, ours, true],
    ['the right scheme', { host: 'pergola.example.com', scheme: 'https' }, ours, true],
    ['a request without a host', {}, ours, true],
    ['another local name without a configured public URL', { host: 'localhost:1' }, 'http://127.0.0.1:8090', false],
  ]
  for (const [what, sent, publicUrl, isSet] of cases) {
    test(what, () => {
      const { lines, ask } = createCheck(publicUrl, isSet)
      ask(sent)
      ask(sent)
      expect(lines).toEqual([])
    })
  }
})

describe('one warning, with the setting to change, for', () => {
  const cases: readonly (readonly [what: string, sent: Partial<Client>, setting: string, isSet: boolean])[] = [
    ['another host', { host: 'inner:8090' }, 'server.publicUrl', true],
    ['another port', { host: 'pergola.example.com:8443' }, 'server.publicUrl', true],
    ['an invalid host', { host: 'a b' }, 'server.publicUrl', true],
    ['another scheme', { host: 'pergola.example.com', scheme: 'http' }, 'server.publicUrl', true],
    ['a remote host without a configured public URL', { host: 'other.example.com' }, 'server.publicUrl', false],
    ['a proxy that is not trusted', { hasUntrustedWords: true }, 'http.trustedProxies', true],
  ]
  for (const [what, sent, setting, isSet] of cases) {
    test(what, () => {
      const { lines, ask } = createCheck(ours, isSet)
      ask(sent, '/livez')
      ask(sent, '/readyz?verbose')
      expect(lines).toEqual([])
      ask(sent)
      for (let times = 0; times < 100; times++)
        ask({ ...sent, ...(sent.host !== undefined && { host: `${times}.example` }) })
      expect(lines).toMatchObject([{ setting, level: 'warn', msg: expect.stringContaining(setting) as string }])
      expect(JSON.stringify(lines)).not.toContain('99.example')
    })
  }
})

test('the value from the client is shortened', () => {
  const { lines, ask } = createCheck(ours)
  ask({ host: 'x'.repeat(10_000) })
  expect(JSON.stringify(lines).length).toBeLessThan(500)
})
