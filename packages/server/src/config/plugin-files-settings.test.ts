import { describe, expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { givenSettingsOf } from './plugin-files-settings.ts'
import { sealingKeysOf } from './sealing-keys.ts'

const reading = {
  readFile: (name: string) => `the text of ${name}\r\n`,
  env: { TOKEN: 'abc', EMPTY: '' },
}
const config = (text: string) => loadConfig({ file: { name: 'pergola.yaml', text }, env: {} })

describe('settings of plugins', () => {
  test('come from the configuration, a file or a variable', () => {
    const settings = { todo: { a: 1, b: { file: '/x' }, c: { env: 'TOKEN' }, d: { env: 'EMPTY' }, e: ['x'] } }
    expect(givenSettingsOf({ settings }, reading)).toEqual({
      todo: { a: 1, b: 'the text of /x', c: 'abc', d: '', e: ['x'] },
    })
  })

  test('that only resemble a reference are plain values', () => {
    const settings = { todo: { a: { file: 'x', mode: 1 }, b: { file: 1 }, c: {}, d: [{ file: 'x' }] } }
    expect(givenSettingsOf({ settings }, reading)).toEqual(settings)
  })

  test('that are missing are all named', () => {
    const settings = { todo: { a: { env: 'NO' } }, shop: { b: { env: 'NEITHER' } } }
    expect(() => givenSettingsOf({ settings }, reading)).toThrow(
      'plugins.settings.todo.a: the variable NO is not set\nplugins.settings.shop.b: the variable NEITHER is not set',
    )
  })
})

describe('the configuration', () => {
  const refused: readonly (readonly [text: string, words: string])[] = [
    ['secrets: { keys: [abc] }', 'pergola.yaml:1: secrets.keys.0 must be object'],
    ['secrets: { keys: [{ file: a, env: B }] }', 'secrets.keys.0 must NOT have more than 1 properties'],
    [
      'secrets: { keys: [{ env: PERGOLA_KEY }] }',
      'the name of an environment variable that does not begin with PERGOLA_',
    ],
    ['plugins: { enabled: { todo: yes please } }', 'plugins.enabled.todo must be boolean'],
    ['plugins: { approve: { todo: get secrets } }', 'plugins.approve.todo must be array'],
    ['plugins: { settings: { todo: 1 } }', 'plugins.settings.todo must be object'],
  ]
  test.each(refused)('refuses %s', (text, words) => {
    expect(() => config(text)).toThrow(words)
  })

  test('has no variables for structured settings', () => {
    expect(() => loadConfig({ env: { PERGOLA_PLUGINS_ENABLED: 'todo' } })).toThrow('is not a setting')
    expect(() => loadConfig({ env: { PERGOLA_SECRETS_KEYS: 'abc' } })).toThrow('is not a setting')
  })

  test('names an invalid key without showing it', () => {
    const { secrets } = config('secrets: { keys: [{ env: TOKEN }, { env: NO }] }')
    expect(() => sealingKeysOf(secrets, reading)).toThrow(
      'secrets.keys.0 (TOKEN): must be 32 random bytes in base64, as "openssl rand -base64 32" prints them\nsecrets.keys.1 (NO): the variable NO is not set',
    )
  })
})
