import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  readServers,
  serversFileOf,
  withoutServer,
  withServer,
  writeServers,
  type KnownServer,
} from './servers-file.ts'

const one: KnownServer = {
  context: 'one.example',
  url: 'https://one.example',
  username: 'ann',
  token: 'pgs_1',
  kind: 'session',
}
const two: KnownServer = { context: 'two', url: 'https://two.example', username: 'bob', token: 'pgl_2', kind: 'token' }

describe('the file of logins', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pergola-servers-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('is in XDG_CONFIG_HOME or below the home folder', () => {
    expect(serversFileOf({ XDG_CONFIG_HOME: '/x', HOME: '/home/ann' })).toBe('/x/pergola/servers.json')
    expect(serversFileOf({ HOME: '/home/ann' })).toBe('/home/ann/.config/pergola/servers.json')
  })

  test('is empty before the first login', () =>
    expect(readServers(join(folder, 'servers.json'))).toEqual({ servers: [] }))

  test('is written atomically, readable only by its owner, without temporary files', () => {
    const file = join(folder, 'pergola/servers.json')
    writeServers(file, { servers: [] })
    writeServers(file, withServer({ servers: [] }, one))
    expect(readServers(file)).toEqual({ context: 'one.example', servers: [one] })
    expect(readdirSync(join(folder, 'pergola'))).toEqual(['servers.json'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'pergola')).mode & 0o777).toBe(0o700)
  })

  test('is rejected when it is invalid, not treated as empty', () => {
    writeFileSync(join(folder, 'servers.json'), '{"servers":')
    expect(() => readServers(join(folder, 'servers.json'))).toThrow(/is not a valid login file/)
  })

  test('has the last login as current; after its logout, the one before', () => {
    const both = withServer(withServer({ servers: [] }, one), two)
    expect(both.context).toBe('two')
    expect(withServer(both, { ...one, token: 'pgs_3' })).toEqual({
      context: 'one.example',
      servers: [two, { ...one, token: 'pgs_3' }],
    })
    expect(withoutServer(both, 'two')).toEqual({ context: 'one.example', servers: [one] })
    expect(withoutServer(both, 'one.example')).toEqual({ context: 'two', servers: [two] })
    expect(withoutServer(withoutServer(both, 'one.example'), 'two')).toEqual({ servers: [] })
  })

  test('of a version without contexts has the servers as names', () => {
    const file = join(folder, 'servers.json')
    const { context: _, ...old } = one
    writeFileSync(file, JSON.stringify({ current: one.url, servers: [old] }), { mode: 0o644 })
    expect(readServers(file)).toEqual({ context: 'one.example', servers: [one] })
    writeServers(file, withServer(readServers(file), two))
    // Older versions find the default login by its URL.
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ current: two.url, context: 'two' })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})
