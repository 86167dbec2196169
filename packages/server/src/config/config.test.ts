import { describe, expect, test } from 'vitest'
import { loadConfig } from './config.ts'

const load = (text: string, env: Record<string, string> = {}) =>
  loadConfig({ file: { name: 'pergola.yaml', text }, env })

test('without file or variables every setting has its default', () => {
  expect(loadConfig({ env: {} })).toEqual({
    server: { host: '127.0.0.1', port: 8090, stopDelay: 1, drainTimeout: 25, allowInsecureLogin: false },
    replica: {},
    tls: {},
    tracing: { sampling: 0.01 },
    http: { trustedProxies: [], maxInFlight: 1000, compression: true },
    cors: { origins: [] },
    database: { url: 'sqlite:pergola.db', timeout: 20, namedStatements: true },
    changelog: { retention: 24, maxBytes: 10_737_418_240 },
    feed: {
      transport: 'postgres',
      natsUrl: [],
      natsStream: 'pergola',
      natsReplicas: 1,
      natsMaxAge: 3_600,
      natsMaxSize: 1_024,
    },
    watch: { max: 20_000, maxPerUser: 100 },
    admin: {},
    audit: {},
    metrics: { host: '127.0.0.1' },
    plugins: {
      isolation: 'auto',
      memoryLimit: 128,
      processLimit: 32,
      scratchLimit: 1024,
      startTimeout: 30,
      startGrace: 30,
      enabled: {},
      approve: {},
      settings: {},
    },
    secrets: { keys: [] },
    sessions: { idleTimeout: 43_200, maxAge: 2_592_000 },
    oidc: { maxAge: 86_400, providers: [] },
    log: { level: 'info', format: 'auto' },
  })
})

test('the file overrides defaults, variables override the file', () => {
  const config = load('server: { host: 0.0.0.0, port: 1 }', { PERGOLA_SERVER_PORT: '2', HOME: '/home/ann' })
  expect(config.server).toEqual({ host: '0.0.0.0', port: 2, stopDelay: 1, drainTimeout: 25, allowInsecureLogin: false })
})

test('a variable reaches a setting of several words', () => {
  expect(loadConfig({ env: { PERGOLA_ADMIN_PASSWORD_FILE: 'p' } }).admin.passwordFile).toBe('p')
})

test('a variable reaches a setting that is true or false', () => {
  expect(loadConfig({ env: { PERGOLA_DATABASE_NAMED_STATEMENTS: 'false' } }).database.namedStatements).toBe(false)
  const directUrl = 'postgres://db.example.com/pergola'
  expect(loadConfig({ env: { PERGOLA_DATABASE_DIRECT_URL: directUrl } }).database.directUrl).toBe(directUrl)
  expect(() => loadConfig({ env: { PERGOLA_DATABASE_NAMED_STATEMENTS: 'no' } })).toThrow('must be boolean')
})

test('an empty file changes nothing', () => {
  expect(load('# nothing yet\n').server.port).toBe(8090)
})

test('a key without a value keeps the default', () => {
  expect(load('server:\n  host:\n  port:\nlog:\n')).toEqual(loadConfig({ env: {} }))
})

test('variables that Kubernetes sets for a service named pergola are ignored', () => {
  const env = {
    PERGOLA_SERVICE_HOST: '10.0.0.1',
    PERGOLA_SERVICE_PORT_HTTP: '80',
    PERGOLA_PORT: 'tcp://10.0.0.1:80',
    PERGOLA_PORT_80_TCP_ADDR: '10.0.0.1',
  }
  expect(loadConfig({ env })).toEqual(loadConfig({ env: {} }))
})

test('variables of the command line are ignored, others of their kind are not', () => {
  const env = { PERGOLA_SERVER: 'https://a.example', PERGOLA_TOKEN_FILE: 'token' }
  expect(loadConfig({ env })).toEqual(loadConfig({ env: {} }))
  expect(() => loadConfig({ env: { PERGOLA_TOKEN: 'x' } })).toThrow('PERGOLA_TOKEN: is not a setting')
})

test('an error in the file does not show its content', () => {
  expect(() => load('database:\n  url: postgres://u:secret@h/d\n url: x')).toThrow(
    /^pergola\.yaml:3: (?![\s\S]*secret)/,
  )
})

test('a local provider may use http, and openid and profile are the default scopes', () => {
  const { oidc } = load(provider('name: a, issuer: "http://127.0.0.1:9000/realm", clientId: p'))
  expect(oidc.providers[0]).toMatchObject({ scopes: ['openid', 'profile'], roles: {} })
})

function provider(settings: string): string {
  return `oidc: { providers: [{ ${settings} }] }`
}

describe('rejects', () => {
  const cases: readonly (readonly [what: string, text: string, env: Record<string, string>, message: string])[] = [
    ['a mistyped section', 'sever: {}', {}, 'pergola.yaml:1: sever is not a setting; did you mean server?'],
    ['a mistyped key', 'server: { prot: 1 }', {}, 'pergola.yaml:1: server.prot is not a setting; did you mean port?'],
    [
      'an unknown key without a similar one',
      'log: { colour: x }',
      {},
      'pergola.yaml:1: log.colour is not a setting; known are level, format',
    ],
    [
      'a mistyped variable',
      '',
      { PERGOLA_SERVER_PROT: '1' },
      'PERGOLA_SERVER_PROT: is not a setting; did you mean PERGOLA_SERVER_PORT?',
    ],
    [
      'a value that only looks like the right type',
      'server: { port: true }',
      {},
      'pergola.yaml:1: server.port must be integer',
    ],
    ['an empty variable', '', { PERGOLA_SERVER_HOST: '' }, 'PERGOLA_SERVER_HOST must NOT have fewer than 1 characters'],
    ['a value of the wrong type', 'server: { port: many }', {}, 'pergola.yaml:1: server.port must be integer'],
    ['a value out of range', '', { PERGOLA_SERVER_PORT: '70000' }, 'PERGOLA_SERVER_PORT must be <= 65535'],
    [
      'a value that is not one of the choices',
      'log: { level: loud }',
      {},
      'pergola.yaml:1: log.level must be one of debug, info, warn, error',
    ],
    [
      'an unsupported database',
      'database: { url: mysql://x }',
      {},
      'pergola.yaml:1: database.url must start with "sqlite:" or "postgres://"',
    ],
    ['a list in a variable', '', { PERGOLA_OIDC_PROVIDERS: '[]' }, 'PERGOLA_OIDC_PROVIDERS: is not a setting'],
    [
      'plain http as public address of a server with TLS',
      'server: { publicUrl: "http://a.example" }\ntls: { certFile: c, keyFile: k }',
      {},
      'pergola.yaml:1: server.publicUrl must be https: with tls.certFile',
    ],
    [
      'sessions that end while they are used',
      'sessions: { idleTimeout: 60 }',
      {},
      'sessions.idleTimeout must be >= 300',
    ],
    ['a schema with SQLite', 'database: { schema: one }', {}, 'database.schema is for PostgreSQL'],
    [
      'a schema that has to be quoted',
      'database: { url: postgres://db/app, schema: "One; DROP" }',
      {},
      'database.schema must be of lowercase letters',
    ],
    [
      'a schema next to other options',
      'database: { url: "postgres://db/app?options=-c%20a%3Db", schema: one }',
      {},
      'database.schema excludes options in database.url',
    ],
    ['a maxAge above the limit', 'oidc: { maxAge: 2592001 }', {}, 'pergola.yaml:1: oidc.maxAge must be <= 2592000'],
    ['a provider without a client', provider('issuer: https://a.example'), {}, 'oidc.providers.0: clientId is missing'],
    [
      'a provider over plain http',
      provider('issuer: http://a.example, clientId: p'),
      {},
      'issuer must be an https address',
    ],
    [
      'an issuer with a query',
      provider('issuer: https://a.example?b, clientId: p'),
      {},
      'issuer must be an https address',
    ],
    ['a provider whose name is no path', provider('name: A/b'), {}, 'oidc.providers.0.name must be up to 40 lowercase'],
    [
      'a mistyped setting of a provider',
      provider('scope: []'),
      {},
      'oidc.providers.0.scope is not a setting; did you mean scopes?',
    ],
    ['scopes without openid', provider('scopes: [profile]'), {}, 'oidc.providers.0.scopes must name openid'],
    ['a scope of two words', provider('scopes: [openid, a b]'), {}, 'oidc.providers.0.scopes.1 must be one word'],
    [
      'an invalid role name',
      provider('rolesClaim: g, roles: { a: [B] }'),
      {},
      'oidc.providers.0.roles.a.0 must be the name of a role',
    ],
    ['a file that is no YAML', 'server: [', {}, 'pergola.yaml:1: Flow sequence'],
    ['a file that holds no sections', '- server', {}, 'pergola.yaml:1: the file must contain settings by section'],
  ]
  for (const [what, text, env, message] of cases) test(what, () => expect(() => load(text, env)).toThrow(message))

  test('a list with a missing field, as one error', () => {
    const faulty = () => load(provider('name: a, issuer: https://a.example, clientId: p, scopes: [a, b]'))
    expect(faulty).toThrow(
      expect.objectContaining({ message: 'pergola.yaml:1: oidc.providers.0.scopes must name openid' }),
    )
  })

  test('each error with its line, wherever the setting is', () => {
    const text = `# comment
server:
  host: 0.0.0.0
  prot: 1
http:
  trustedProxies:
    - 10.0.0.0/8
    - proxy
    - 10.0.0.1/8
oidc:
  providers:
    - { name: a, issuer: "https://a.example", clientId: p }
    - name: b
      issuer: nowhere
      clientId: p
`
    const messageOf = (given: string) => {
      try {
        return load(given) && ''
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(messageOf(text)).toBe(
      'pergola.yaml:4: server.prot is not a setting; did you mean port?\n' +
        'pergola.yaml:14: oidc.providers.1.issuer must be an https address without query, such as https://accounts.example.com; http only for this machine itself',
    )
    const sound = text.replace('  prot: 1\n', '').replace('nowhere', 'https://b.example')
    expect(
      messageOf(sound)
        .split('\n')
        .map((line) => line.slice(0, 45)),
    ).toEqual(['pergola.yaml:7: http.trustedProxies: proxy mu', 'pergola.yaml:8: http.trustedProxies: 10.0.0.1'])
    expect(messageOf('a: [\nb: ]\nc: "')).toMatch(/^pergola\.yaml:\d.*(\npergola\.yaml:\d.*)+$/)
  })

  test('all errors at once, one per line', () => {
    expect(() => load('sever: {}', { PERGOLA_SERVER_PORT: 'x', PERGOLA_NOTHING: '1' })).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^PERGOLA_NOTHING.*\n.*\n.*$/) as string }),
    )
  })
})

describe('the NATS transport', () => {
  const feed = (more: Record<string, string>) => () =>
    loadConfig({
      env: {
        PERGOLA_DATABASE_URL: 'postgres://127.0.0.1/p',
        PERGOLA_FEED_TRANSPORT: 'nats',
        PERGOLA_FEED_NATS_URL: 'nats://127.0.0.1:4222',
        ...more,
      },
    }).feed
  test('has a list of servers', () => {
    const found = feed({ PERGOLA_FEED_NATS_URL: 'nats://a:1, tls://b:2' })()
    expect(found).toMatchObject({ transport: 'nats', natsUrl: ['nats://a:1', 'tls://b:2'] })
  })
  test.each([
    ['with SQLite', { PERGOLA_DATABASE_URL: 'sqlite:p.db' }, 'PERGOLA_FEED_TRANSPORT must be postgres with a SQLite'],
    ['without a server', { PERGOLA_FEED_NATS_URL: '' }, 'must name at least one server'],
    ['with another address', { PERGOLA_FEED_NATS_URL: 'http://a' }, 'must be addresses such as nats://'],
    ['with a password in the address', { PERGOLA_FEED_NATS_URL: 'nats://u:secret@a' }, 'must not hold a password'],
    ['with a user alone', { PERGOLA_FEED_NATS_USER: 'u' }, 'goes with feed.natsPasswordFile'],
    ['with a certificate alone', { PERGOLA_FEED_NATS_CERT_FILE: 'c' }, 'goes with feed.natsKeyFile'],
    [
      'with two ways to sign in',
      { PERGOLA_FEED_NATS_TOKEN_FILE: 't', PERGOLA_FEED_NATS_CREDENTIALS_FILE: 'c' },
      'exclude each other',
    ],
    ['with a stream of many words', { PERGOLA_FEED_NATS_STREAM: 'a.b' }, 'must be of letters'],
  ])('%s it is refused', (_what, env, words) => {
    expect(feed(env)).toThrow(words)
    expect(feed(env)).not.toThrow('secret')
  })
})
