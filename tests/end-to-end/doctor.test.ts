import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Finding } from '@pergola/server'
import { createDatabase, freePort, startPgBouncer, startPostgres, withClient } from '@pergola/test-servers'
import { afterAll, expect, inject, test } from 'vitest'
import { runHere } from './cli-in-process.ts'
import { startPergola } from './pergola-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'pergola-doctor-'))
afterAll(() => rmSync(folder, { recursive: true }))
const variables = { HOME: folder, XDG_CONFIG_HOME: folder, TZ: 'UTC' }

/** The findings on this machine with that configuration, and on its server. */
async function examined(yaml: string, args: readonly string[] = []) {
  const file = join(folder, 'pergola.yaml')
  writeFileSync(file, yaml)
  chmodSync(file, 0o600)
  const ran = await runHere({ args: ['doctor', '--config', 'pergola.yaml', '-o', 'json', ...args], folder, variables })
  const { items, machine } = JSON.parse(ran.stdout) as Record<'items' | 'machine', readonly Finding[]>
  const of = (name: string) => machine.filter((finding) => finding.name === name)
  return { ...ran, items, machine, of }
}

/** Nothing listens there. */
const nowhere = async () => `server: { port: ${await freePort()} }`
const like = (text: string) => expect.stringContaining(text) as string

test('a configuration that cannot be used is reported line by line, and nothing else is checked', async () => {
  const { code, items, machine } = await examined('server: { prot: 1 }\nlog: { level: loud }')
  expect({ code, items }).toEqual({ code: 1, items: [] })
  expect(machine.map(({ name, words }) => [name, words])).toEqual([
    ['config', like('server.prot is not a setting; did you mean port?')],
    ['config', like('log.level must be one of')],
  ])
})

test('a sound configuration next to its running server has no failed finding', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  const port = await freePort()
  const yaml = `server: { port: ${port}, stopDelay: 0 }\ndatabase: { url: '${database.url}' }\nsecrets: { keys: [{ file: key }] }`
  writeFileSync(join(folder, 'key'), Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
  const empty = await examined(yaml)
  expect(empty.of('database')).toMatchObject([{ level: 'ok', words: like(', empty') }])
  await using server = startPergola({ directory: folder, env: { PERGOLA_SERVER_PORT: String(port) } })
  await server.url()
  const { code, items, machine, of } = await examined(yaml)
  expect([...items, ...machine].filter(({ level }) => level === 'failed')).toEqual([])
  expect(code).toBe(0)
  expect(items).toMatchObject([
    { name: 'accepting' },
    { name: 'database' },
    { name: 'secrets' },
    { name: 'plugins' },
    { name: 'clock' },
    { name: 'login' },
  ])
  expect(of('database')).toMatchObject([{ words: like(', schema ') }])
  expect(of('keys')).toMatchObject([{ level: 'ok', words: like(', as in running servers') }])
  const names = ['database', 'connections', 'db clock', 'statements', 'notices', 'keys', 'files', 'disk', 'publicUrl']
  expect(machine.map(({ name }) => name)).toEqual(names)

  await withClient(database.url, (client) => client.query('INSERT INTO schema_migrations VALUES (99, now(), 99)'))
  const newer = await examined(yaml)
  expect(newer.of('database')).toMatchObject([{ level: 'failed', words: like('has schema 99') }])
})

test('a pooler in transaction mode: what has to be set is named, and is enough', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  await using pooler = await startPgBouncer(database.url)
  const through = pooler.through(database.url)
  const settings = async (more: string) => `${await nowhere()}\ndatabase: { url: '${through}'${more} }`
  const plain = await examined(await settings(''))
  expect(plain.of('statements')).toMatchObject([{ level: 'failed', advice: 'set database.namedStatements: false' }])
  const unnamed = await examined(await settings(', namedStatements: false'))
  expect(unnamed.of('statements')).toMatchObject([{ level: 'ok' }])
  expect(unnamed.of('notices')).toMatchObject([{ level: 'warn', advice: like('set database.directUrl') }])
  const direct = await examined(await settings(`, namedStatements: false, directUrl: '${database.url}'`))
  expect(direct.of('notices')).toMatchObject([{ level: 'ok', words: 'arrive at database.directUrl' }])

  await using other = await createDatabase(inject('postgres')['18'])
  const wrong = await examined(await settings(`, namedStatements: false, directUrl: '${other.url}'`))
  expect(wrong.of('notices')).toMatchObject([{ level: 'failed', words: like('do not get from database.url') }])
})

test('a database that is frozen or down fails its own checks only', async () => {
  await using postgres = await startPostgres('15')
  const yaml = `${await nowhere()}\ndatabase: { url: '${postgres.url}' }`
  postgres.freeze()
  const frozen = await examined(yaml)
  postgres.thaw()
  expect(frozen.code).toBe(1)
  expect(frozen.of('database')).toMatchObject([
    { level: 'failed', words: 'no answer within 2 s', advice: like('pg_isready -h 127.0.0.1 -p ') },
  ])
  expect(frozen.of('disk')).toMatchObject([{ name: 'disk' }])
  expect(frozen.machine.filter(({ level }) => level === 'failed')).toHaveLength(1)
  expect(frozen.of('files')).toMatchObject([{ level: 'ok' }])
  await postgres.kill()
  const down = await examined(yaml)
  expect(down.of('database')).toMatchObject([{ level: 'failed', words: like('ECONNREFUSED') }])
  expect(down.items).toMatchObject([{ level: 'failed', name: 'server' }, { name: 'login' }])
})

test('a standby is named as one', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  await withClient(database.url, (client) =>
    client.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET default_transaction_read_only = on`),
  )
  const { of } = await examined(`${await nowhere()}\ndatabase: { url: '${database.url}' }`)
  expect(of('writes')).toMatchObject([{ level: 'failed', advice: 'set database.url to the primary' }])
})

test('files that others can read, a file that is no database, and a missing folder come with a command', async () => {
  writeFileSync(join(folder, 'open-key'), Buffer.alloc(32, 8).toString('base64'))
  chmodSync(join(folder, 'open-key'), 0o644)
  writeFileSync(join(folder, 'text.db'), 'this is a text')
  const server = await nowhere()
  const loose = await examined(
    `${server}\ndatabase: { url: 'sqlite:text.db' }\nsecrets: { keys: [{ file: open-key }] }`,
  )
  expect(loose.of('files')).toMatchObject([
    { level: 'warn', advice: 'chmod o= open-key' },
    { advice: 'chmod o= text.db' },
  ])
  expect(loose.of('database')).toMatchObject([{ level: 'failed', words: 'text.db is not a SQLite database' }])
  const missing = await examined(`${server}\ndatabase: { url: 'sqlite:${folder}/none/p.db' }`)
  expect(missing.of('database')).toMatchObject([{ level: 'failed', advice: `mkdir -p ${folder}/none` }])
})

test('a provider that answers wrongly, and a public address that leads elsewhere, fail', async () => {
  const other = createServer((_, response) => response.end('hello'))
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  const at = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const yaml = `
server: { port: ${await freePort()}, publicUrl: '${at}' }
database: { url: 'sqlite:none.db' }
oidc: { providers: [{ name: example, issuer: '${at}/realm', clientId: pergola }] }
`
  const { of } = await examined(yaml)
  other.close()
  expect(of('publicUrl')).toMatchObject([
    {
      level: 'failed',
      words: `${at} answers 200, but not as a Pergola server does`,
      advice: like(`curl -i ${at}/readyz`),
    },
  ])
  expect(of('oidc example')).toMatchObject([
    { level: 'failed', advice: like(`curl -fsS '${at}/realm/.well-known/openid-configuration'`) },
  ])
  const gone = await examined(yaml)
  expect(gone.of('oidc example')).toMatchObject([{ level: 'failed', words: like('ECONNREFUSED') }])
  expect(gone.of('publicUrl')).toMatchObject([{ level: 'warn', words: like('cannot be reached from here') }])
})

test('roles that a provider gives and that do not exist are in the log, in the details of readiness, and in the findings', async () => {
  const home = join(folder, 'mapped')
  mkdirSync(home)
  const port = await freePort()
  const yaml = `
server: { port: ${port}, stopDelay: 0 }
admin: { username: ann, passwordFile: password }
oidc: { providers: [{ name: example, issuer: 'http://127.0.0.1:9', clientId: p, rolesClaim: groups, roles: { chiefs: [chief, visitor] } }] }
`
  writeFileSync(join(home, 'pergola.yaml'), yaml)
  writeFileSync(join(home, 'password'), 'correct horse battery')
  await using server = startPergola({ directory: home, env: { PERGOLA_SERVER_PORT: String(port) } })
  const url = await server.url()
  await expect.poll(server.stderr).toContain('oidc.providers gives roles that do not exist')
  const run = (args: readonly string[]) => runHere({ args, folder: home, variables })
  await run(['login', url, '--username', 'ann', '--password-file', 'password'])
  const { stdout } = await run(['doctor'])
  expect(stdout).toMatch(/warn +oidc +roles in oidc\.providers do not exist: chief\n +create these roles/)
  expect(await run(['list', 'roles', '--server', url, '-o', 'name'])).toMatchObject({
    code: 0,
    stdout: like('visitor'),
  })
})
