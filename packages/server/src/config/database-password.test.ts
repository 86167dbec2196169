import { databaseUrl, startPostgres, withClient } from '@pergola/test-servers'
import { describe, expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { withDatabasePassword } from './database-password.ts'

const databaseOf = (url: string, password: string, directUrl?: string) => {
  const env = {
    PERGOLA_DATABASE_URL: url,
    PERGOLA_DATABASE_PASSWORD_FILE: 'password',
    ...(directUrl !== undefined && { PERGOLA_DATABASE_DIRECT_URL: directUrl }),
  }
  return withDatabasePassword(loadConfig({ env }), () => password).database
}

test('the password of the file is in both addresses, whatever characters it has', () => {
  const direct = 'postgres://ann@direct/app?sslmode=require'
  const { url, directUrl } = databaseOf('postgres://ann@db:6432/app', 'a@b:/?#%20\n', direct)
  expect(decodeURIComponent(new URL(url).password)).toBe('a@b:/?#%20')
  expect(new URL(url).host).toBe('db:6432')
  expect(directUrl).toMatch(/^postgres:\/\/ann:[^@]+@direct\/app\?sslmode=require$/)
})

describe('the file is refused', () => {
  test.each([
    ['with SQLite', 'sqlite:p.db', 'x', /^database\.passwordFile is for PostgreSQL/],
    [
      'with a password in the address',
      'postgres://ann:secret@db/app',
      'x',
      /^database\.passwordFile: .* a password too/,
    ],
    ['without a user', 'postgres://db/app', 'x', /must name the user/],
    ['when it is empty', 'postgres://ann@db/app', '\n', /password is empty/],
  ])('%s', (_what, url, password, message) => {
    expect(() => databaseOf(url, password)).toThrow(message)
    expect(() => databaseOf(url, password)).not.toThrow('secret')
  })
})

test('a server that asks for passwords accepts the one in the file, and no other', async () => {
  await using server = await startPostgres('18')
  const password = `it's a "pass" %41 w@rd`
  await withClient(server.url, async (client) => {
    await client.query(`CREATE ROLE app LOGIN PASSWORD '${password.replace("'", "''")}'`)
    await client.query('CREATE DATABASE app OWNER app')
    const { rows } = await client.query<{ readonly hba_file: string }>('SHOW hba_file')
    const lines = ['host all postgres 127.0.0.1/32 trust', 'host all all 127.0.0.1/32 scram-sha-256']
    const values = lines.map((line) => `('${line}')`).join(', ')
    await client.query(`COPY (VALUES ${values}) TO '${rows[0]?.hba_file}'`)
    await client.query('SELECT pg_reload_conf()')
  })
  const at = new URL(databaseUrl(server.url, 'app'))
  at.username = 'app'
  const signIn = (given: string) => withClient(databaseOf(at.href, given).url, (client) => client.query('SELECT 1'))
  await expect(signIn('another')).rejects.toThrow('password authentication failed')
  await signIn(password)
})
