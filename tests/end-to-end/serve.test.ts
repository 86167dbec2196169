import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { createDatabase, freePort, startPgBouncer } from '@pergola/test-servers'
import { describe, expect, inject, test } from 'vitest'
import { startPergola, type PergolaProcess } from './pergola-process.ts'

test('serve prints six lines at most, the last of them what to do next', async () => {
  const env = { PERGOLA_LOG_FORMAT: 'pretty' }
  await using pergola = startPergola({ env })
  const url = await pergola.url()
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  await expect.poll(pergola.stdout).toMatch(/secret .*\n$/)
  const [title, ...lines] = pergola.stdout().split('\n')
  expect(title).toMatch(/^ {2}pergola \d+\.\d+\.\d+ · ready in \d+\.\d s$/)
  expect(lines).toEqual([
    `  api       ${url}`,
    `  console   ${url}/console`,
    '  database  SQLite pergola.db',
    `  next      open ${url}/console/setup within an hour, and make the first administrator with this secret:`,
    expect.stringMatching(/^ {2}secret {4}pgi_[\w-]{43}$/),
    '',
  ])
  const [, secret] = /secret +(\S+)/.exec(pergola.stdout()) ?? []
  const body = JSON.stringify({ username: 'admin', password: 'correct horse battery', secret })
  const headers = { origin: url, 'content-type': 'application/json' }
  expect((await fetch(`${url}/auth/setup`, { method: 'POST', headers, body })).status).toBe(201)
  pergola.signal('SIGTERM')
  expect(await pergola.exited).toBe(0)

  await using again = startPergola({ env, directory: pergola.directory })
  await again.url()
  await expect.poll(again.stdout).toMatch(/next .*\n$/)
  const next = again.stdout().split('\n')[4] ?? ''
  expect(next).toMatch(/^ {2}next {6}open the console, or {2}pergola login http:\S+$/)
  const args = [...(next.split('pergola ')[1] ?? '').split(' '), '--username', 'admin', '--password-file', 'password']
  const files = { password: 'correct horse battery' }
  await using signingIn = startPergola({ args, env: { XDG_CONFIG_HOME: again.directory }, files })
  expect(await signingIn.exited).toBe(0)
  expect(signingIn.stdout()).toContain('Signed in as admin (super-administrator)')
})

test('without a terminal serve prints one line of JSON when it is ready, at any log level', async () => {
  const env = { PERGOLA_LOG_LEVEL: 'error' }
  await using pergola = startPergola({ env })
  const url = await pergola.url()
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  expect(JSON.parse(pergola.stdout())).toEqual({
    level: 'info',
    time: expect.any(String) as string,
    msg: 'ready',
    url,
    version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
    replica: expect.stringMatching(new RegExp(`^${hostname()}-[0-9a-f]{8}$`)) as string,
    database: 'SQLite pergola.db',
    setup: `${url}/console/setup`,
    setupSecret: expect.stringMatching(/^pgi_[\w-]{43}$/) as string,
  })
  pergola.signal('SIGTERM')
  expect(await pergola.exited).toBe(0)
  expect(pergola.stdout()).toMatch(/^[^\n]*\n$/)
})

test('metrics are served only on the metrics port', async () => {
  const port = await freePort()
  await using pergola = startPergola({ env: { PERGOLA_METRICS_PORT: String(port) } })
  const url = await pergola.url()
  expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toMatch(/^pergola_watches(\{.*\})? 0$/m)
  expect((await fetch(`${url}/metrics`)).status).toBe(401)

  await using second = startPergola({ env: { PERGOLA_METRICS_PORT: String(port) } })
  expect(await second.exited).toBe(1)
  expect(second.stderr()).toMatch(new RegExp(`cannot serve metrics on 127.0.0.1:${port} .*EADDRINUSE`))
})

test('the administrator from the configuration is created at the first start', async () => {
  const files = { password: 'correct horse battery\n' }
  const env = { PERGOLA_ADMIN_USERNAME: 'ann', PERGOLA_ADMIN_PASSWORD_FILE: 'password' }
  await using pergola = startPergola({ env, files })
  const url = await pergola.url()
  expect(pergola.stdout()).not.toContain('setup')
  const answer = await fetch(`${url}/auth/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ username: 'ann', password: 'correct horse battery', transport: 'token' }),
  })
  expect(answer.status).toBe(201)
  const { token } = (await answer.json()) as { token: string }
  const users = await fetch(`${url}/api/v1alpha1/users`, { headers: { authorization: `Bearer ${token}` } })
  expect(await users.json()).toMatchObject({ items: [{ metadata: { name: 'ann' } }] })
  expect(pergola.stdout() + pergola.stderr()).not.toContain('correct horse')
})

test('the administrator from the configuration can sign in with the first answered request', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    PERGOLA_SERVER_PORT: String(port),
    PERGOLA_ADMIN_USERNAME: 'ann',
    PERGOLA_ADMIN_PASSWORD_FILE: 'password',
  }
  await using _pergola = startPergola({ env, files: { password: 'correct horse battery' } })
  const signIn = () =>
    fetch(`${url}/auth/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ username: 'ann', password: 'correct horse battery', transport: 'token' }),
    })
  let first: Response | undefined
  while (!first) first = await signIn().catch(() => undefined)
  expect(first.status).toBe(201)
})

test('credentials from requests are not printed', async () => {
  const token = 'pgl_a-token-that-nobody-has-0123456789'
  await using pergola = startPergola()
  const url = await pergola.url()
  await fetch(`${url}/livez`, { headers: { authorization: `Bearer ${token}` } })
  await fetch(`${url}/livez`, { headers: { cookie: `pergola-session=${token}` } })
  pergola.signal('SIGTERM')
  expect(await pergola.exited).toBe(0)
  expect(pergola.stdout() + pergola.stderr()).not.toContain(token)
})

test('the configuration file is read, and the database URL is printed without its password', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  const url = database.url.replace('postgres@', 'postgres:hidden@')
  await using pergola = startPergola({
    args: ['serve', '--config', 'my.yaml'],
    files: { 'my.yaml': `database:\n  url: ${url}\n` },
  })
  await pergola.url()
  expect(pergola.stdout()).toMatch(/"database":"PostgreSQL postgres@127\.0\.0\.1:\d+\/test_/)
  expect(pergola.stdout() + pergola.stderr()).not.toContain('hidden')
})

test('a server that listens for other machines warns while it has no address for them', async () => {
  const words = 'nobody can sign in from another machine; set server.publicUrl'
  const env = { PERGOLA_SERVER_HOST: '0.0.0.0' }
  await using without = startPergola({ env })
  await without.url()
  expect(without.stderr()).toContain(words)
  await using named = startPergola({ env: { ...env, PERGOLA_SERVER_PUBLIC_URL: 'https://pergola.example.com' } })
  await expect.poll(named.stdout).toContain('"msg":"ready"')
  expect(named.stderr()).not.toContain(words)
})

/** The lines of the log: all of standard error without a terminal. */
const linesOf = ({ stderr }: PergolaProcess) =>
  stderr()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)

describe('a start that fails logs why and what to do, and sets the exit code:', () => {
  test('unknown settings', async () => {
    await using pergola = startPergola({ env: { PERGOLA_SERVER_PROT: '1', PERGOLA_LOG_LEVEL: 'loud' } })
    expect(await pergola.exited).toBe(2)
    const msg = 'the configuration cannot be used; pergola config check tests it'
    expect(linesOf(pergola)).toMatchObject([
      { level: 'error', fault: 'PERGOLA_SERVER_PROT: is not a setting; did you mean PERGOLA_SERVER_PORT?', msg },
      { level: 'error', fault: 'PERGOLA_LOG_LEVEL must be one of debug, info, warn, error', msg },
    ])
  })

  test.each([
    ['by a variable', { env: { PERGOLA_LOG_FORMAT: 'pretty', PERGOLA_LOG_LEVEL: 'loud' } }],
    ['by the file', { files: { 'pergola.yaml': 'log: { format: pretty, level: loud }' } }],
  ])('the same as text, if the log is text %s', async (_what, options) => {
    await using pergola = startPergola(options)
    expect(await pergola.exited).toBe(2)
    expect(pergola.stderr()).toMatch(/^The configuration cannot be used:\n {2}.* must be one of debug, .*\n$/)
  })

  test('a configuration file that does not exist', async () => {
    await using pergola = startPergola({ args: ['serve', '--config', 'nowhere.yaml'] })
    expect(await pergola.exited).toBe(2)
    expect(pergola.stderr()).toContain('nowhere.yaml cannot be read: ENOENT')
  })

  test('a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    await using pergola = startPergola({ env: { PERGOLA_SERVER_PORT: String(port) } })
    expect(await pergola.exited).toBe(1)
    const reason = `127.0.0.1:${port} is in use by another program; stop it, or choose another with --port <port>`
    expect(linesOf(pergola).at(-1)).toMatchObject({ level: 'error', reason, msg: 'cannot start' })
    const env = { PERGOLA_SERVER_PORT: String(port), PERGOLA_LOG_FORMAT: 'pretty' }
    await using readable = startPergola({ env })
    expect(await readable.exited).toBe(1)
    expect(readable.stderr()).toContain(`Pergola cannot start: ${reason}\n`)
    taken.close()
  })

  test('a database that does not answer', async () => {
    await using pergola = startPergola({ env: { PERGOLA_DATABASE_URL: 'postgres://someone:secret@127.0.0.1:1/x' } })
    expect(await pergola.exited).toBe(1)
    expect(linesOf(pergola)).toMatchObject([
      {
        level: 'error',
        reason: expect.stringMatching(/^cannot prepare PostgreSQL someone@127\.0\.0\.1:1\/x: .*ECONNREFUSED/) as string,
        next: 'check database.url, and that PostgreSQL runs there',
        msg: 'cannot start',
      },
    ])
    expect(pergola.stderr()).not.toContain('secret')
  })

  test('what PostgreSQL refuses', async () => {
    const refused = async (url: string) => {
      await using pergola = startPergola({ env: { PERGOLA_DATABASE_URL: url } })
      expect(await pergola.exited).toBe(1)
      return linesOf(pergola).at(-1)
    }
    await using database = await createDatabase(inject('postgres')['18'])
    const next = 'create the database with createdb, or correct its name in database.url'
    expect(await refused(`${database.url}_none`)).toMatchObject({ msg: 'cannot start', next })
    await using pooler = await startPgBouncer(database.url)
    const reason = expect.stringContaining('set database.namedStatements to false') as string
    expect(await refused(pooler.through(database.url))).toMatchObject({ msg: 'cannot start', reason })
  })

  test('a second process on the same SQLite file', async () => {
    await using first = startPergola()
    await first.url()
    await using second = startPergola({ directory: first.directory })
    expect(await second.exited).toBe(1)
    expect(second.stderr()).toContain('the SQLite file pergola.db is in use by another process')
  })

  test('an unknown command', async () => {
    await using pergola = startPergola({ args: ['sevre'] })
    expect(await pergola.exited).toBe(2)
    expect(pergola.stderr()).toContain("unknown command 'sevre'")
    expect(pergola.stderr()).toContain('Did you mean serve?')
  })
})
