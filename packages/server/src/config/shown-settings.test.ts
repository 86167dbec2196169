import { expect, test } from 'vitest'
import { loadSettings } from './config.ts'
import { shownSettings } from './shown-settings.ts'

const shown = (text: string, env: Record<string, string> = {}) =>
  new Map(
    shownSettings(loadSettings({ file: { name: 'p.yaml', text }, env })).map(({ setting, ...rest }) => [setting, rest]),
  )

test('every setting has its value and its source', () => {
  const text = `server:
  host: 0.0.0.0
  port: 1
http: { trustedProxies: [10.0.0.0/8] }
log:
  level:
oidc:
  providers:
    - name: a
      issuer: https://a.example
      clientId: p
secrets: { keys: [{ file: key }] }
`
  const found = shown(text, { PERGOLA_SERVER_PORT: '2', PERGOLA_FEED_NATS_URL: 'nats://a:1' })
  expect(found.get('server.host')).toEqual({ value: '0.0.0.0', from: 'p.yaml:2' })
  expect(found.get('server.port')).toEqual({ value: 2, from: 'PERGOLA_SERVER_PORT' })
  expect(found.get('server.publicUrl')).toEqual({ from: 'not set' })
  expect(found.get('http.trustedProxies')).toEqual({ value: ['10.0.0.0/8'], from: 'p.yaml:4' })
  expect(found.get('log.level')).toEqual({ value: 'info', from: 'default' })
  expect(found.get('feed.natsUrl')).toEqual({ value: ['nats://a:1'], from: 'PERGOLA_FEED_NATS_URL' })
  expect(found.get('oidc.providers.0.issuer')).toEqual({ value: 'https://a.example', from: 'p.yaml:10' })
  expect(found.get('oidc.providers.0.scopes')).toEqual({ value: ['openid', 'profile'], from: 'default' })
  expect(found.get('secrets.keys.0')).toEqual({ value: { file: 'key' }, from: 'p.yaml:12' })
  expect(found.get('plugins.settings')).toEqual({ value: {}, from: 'default' })
})

test('no secret is shown', () => {
  const found = shown(
    `
database:
  url: postgres://ann:hunter2@db.example.com/app?sslmode=require&password=hunter2&sslkey=hunter2
  directUrl: postgres://ann:hunter%32@db.example.com/app
plugins: { settings: { mail: { password: hunter2, port: 25, token: { env: TOKEN } } } }
`,
  )
  expect(JSON.stringify([...found])).not.toMatch(/hunter/)
  expect(found.get('database.url')?.value).toBe(
    'postgres://ann:***@db.example.com/app?sslmode=require&password=***&sslkey=***',
  )
  expect(found.get('plugins.settings.mail.port')?.value).toBe('***')
  expect(found.get('plugins.settings.mail.token')?.value).toEqual({ env: 'TOKEN' })
})
