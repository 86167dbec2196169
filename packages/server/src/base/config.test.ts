import { describe, expect, test } from 'vitest'
import { loadConfig } from './config.ts'

const load = (text: string, env: Record<string, string> = {}) =>
  loadConfig({ file: { name: 'pergola.yaml', text }, env })

test('without file or variables every setting has its default', () => {
  expect(loadConfig({ env: {} })).toEqual({
    server: { host: '127.0.0.1', port: 8090, stopDelay: 1, drainTimeout: 25, allowInsecureLogin: false },
    database: { url: 'sqlite:pergola.db', namedStatements: true },
    changelog: { retention: 24, maxBytes: 10_737_418_240 },
    admin: {},
    bootstrap: {},
    log: { level: 'info', format: 'auto' },
  })
})

test('the file overrides defaults, variables override the file', () => {
  const config = load('server: { host: 0.0.0.0, port: 1 }', { PERGOLA_SERVER_PORT: '2', HOME: '/home/ann' })
  expect(config.server).toEqual({ host: '0.0.0.0', port: 2, stopDelay: 1, drainTimeout: 25, allowInsecureLogin: false })
})

test('a variable reaches a setting of several words', () => {
  const token = 'x'.repeat(32)
  expect(loadConfig({ env: { PERGOLA_BOOTSTRAP_ADMIN_TOKEN: token } }).bootstrap.adminToken).toBe(token)
})

test('a variable reaches a setting that is true or false', () => {
  expect(loadConfig({ env: { PERGOLA_DATABASE_NAMED_STATEMENTS: 'false' } }).database.namedStatements).toBe(false)
  expect(() => loadConfig({ env: { PERGOLA_DATABASE_NAMED_STATEMENTS: 'no' } })).toThrow('must be boolean')
})

test('an empty file is as good as none', () => {
  expect(load('# nothing yet\n').server.port).toBe(8090)
})

test('a key with nothing behind it leaves the default, wherever YAML allows it', () => {
  expect(load('server:\n  host:\n  port:\nlog:\n')).toEqual(loadConfig({ env: {} }))
})

test('what Kubernetes sets for a service of our name is none of our settings', () => {
  const env = {
    PERGOLA_SERVICE_HOST: '10.0.0.1',
    PERGOLA_SERVICE_PORT_HTTP: '80',
    PERGOLA_PORT: 'tcp://10.0.0.1:80',
    PERGOLA_PORT_80_TCP_ADDR: '10.0.0.1',
  }
  expect(loadConfig({ env })).toEqual(loadConfig({ env: {} }))
})

test('a fault in the file never shows what stands there', () => {
  expect(() => load('database:\n  url: postgres://u:secret@h/d\n url: x')).toThrow(
    /^pergola\.yaml:3: (?![\s\S]*secret)/,
  )
})

describe('refused is', () => {
  const cases: readonly (readonly [what: string, text: string, env: Record<string, string>, message: string])[] = [
    ['a mistyped section', 'sever: {}', {}, 'pergola.yaml: sever is not a setting; did you mean server?'],
    ['a mistyped key', 'server: { prot: 1 }', {}, 'pergola.yaml: server.prot is not a setting; did you mean port?'],
    [
      'a key like no other',
      'log: { colour: x }',
      {},
      'pergola.yaml: log.colour is not a setting; known are level, format',
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
      'pergola.yaml: server.port must be integer',
    ],
    ['an empty variable', '', { PERGOLA_SERVER_HOST: '' }, 'PERGOLA_SERVER_HOST must NOT have fewer than 1 characters'],
    ['a value of the wrong type', 'server: { port: many }', {}, 'pergola.yaml: server.port must be integer'],
    ['a value out of range', '', { PERGOLA_SERVER_PORT: '70000' }, 'PERGOLA_SERVER_PORT must be <= 65535'],
    [
      'a value that is not one of the choices',
      'log: { level: loud }',
      {},
      'pergola.yaml: log.level must be one of debug, info, warn, error',
    ],
    [
      'a database of no known kind',
      'database: { url: mysql://x }',
      {},
      'pergola.yaml: database.url must start with "sqlite:" or "postgres://"',
    ],
    ['a file that is no YAML', 'server: [', {}, 'pergola.yaml:1: Flow sequence'],
    ['a file that holds no sections', '- server', {}, 'pergola.yaml: the file must hold settings by section'],
  ]
  for (const [what, text, env, message] of cases) test(what, () => expect(() => load(text, env)).toThrow(message))

  test('all at once, a line each', () => {
    expect(() => load('sever: {}', { PERGOLA_SERVER_PORT: 'x', PERGOLA_NOTHING: '1' })).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^PERGOLA_NOTHING.*\n.*\n.*$/) as string }),
    )
  })
})
