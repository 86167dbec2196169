import { describe, expect, test } from 'vitest'
import { loadConfig } from './config.ts'

const load = (text: string, env: Record<string, string> = {}) =>
  loadConfig({ file: { name: 'pergola.yaml', text }, env })

test('without file or variables every setting has its default', () => {
  expect(loadConfig({ env: {} })).toEqual({
    server: { host: '127.0.0.1', port: 8090, drainTimeout: 25 },
    database: { url: 'sqlite:pergola.db' },
    bootstrap: {},
    log: { level: 'info', format: 'auto' },
  })
})

test('the file overrides defaults, variables override the file', () => {
  const config = load('server: { host: 0.0.0.0, port: 1 }', { PERGOLA_SERVER_PORT: '2', HOME: '/root' })
  expect(config.server).toEqual({ host: '0.0.0.0', port: 2, drainTimeout: 25 })
})

test('a variable reaches a setting of several words', () => {
  const token = 'x'.repeat(32)
  expect(loadConfig({ env: { PERGOLA_BOOTSTRAP_ADMIN_TOKEN: token } }).bootstrap.adminToken).toBe(token)
})

test('an empty file is as good as none', () => {
  expect(load('# nothing yet\n').server.port).toBe(8090)
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
    [
      'a token that can be guessed',
      'bootstrap: { adminToken: secret }',
      {},
      'pergola.yaml: bootstrap.adminToken must NOT have fewer than 32 characters',
    ],
    ['a file that is no YAML', 'server: [', {}, 'pergola.yaml: Flow sequence'],
    ['a file that holds no sections', '- server', {}, 'pergola.yaml: the file must hold settings by section'],
  ]
  for (const [what, text, env, message] of cases) test(what, () => expect(() => load(text, env)).toThrow(message))

  test('all at once, a line each', () => {
    expect(() => load('sever: {}', { PERGOLA_SERVER_PORT: 'x', PERGOLA_NOTHING: '1' })).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^PERGOLA_NOTHING.*\n.*\n.*$/) as string }),
    )
  })
})
