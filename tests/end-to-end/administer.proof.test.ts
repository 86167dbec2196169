import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { createDatabase } from '@pergola/test-servers'
import { describe, expect, inject, test } from 'vitest'
import { startPergola, type PergolaOptions, type PergolaProcess } from './pergola-process.ts'

/** Every command runs in a separate process. */
const slow = 120_000
const own = '/apis/api.platform.run/v1alpha1/users/-/permissions'

/** Runs a command and waits for its exit. */
async function run(args: readonly string[], options: PergolaOptions) {
  await using pergola = startPergola({ ...options, args })
  const code = await pergola.exited
  return { code, stdout: pergola.stdout(), stderr: pergola.stderr() }
}

async function post(url: string, path: string, body: object, token?: string) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, ...authorization },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

async function statusOf(url: string, path: string, token: string): Promise<number> {
  return (await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).status
}

const signIn = (url: string, username: string, password: string) =>
  post(url, '/auth/sessions', { username, password, transport: 'token' })

describe('beside two running servers on PostgreSQL', () => {
  interface Installation {
    readonly env: Readonly<Record<string, string>>
    readonly servers: readonly PergolaProcess[]
    readonly urls: readonly string[]
  }
  async function withInstallation(work: (installation: Installation) => Promise<void>): Promise<void> {
    await using database = await createDatabase(inject('postgres')['18'])
    const env = { PERGOLA_DATABASE_URL: database.url }
    await using first = startPergola({ env })
    const urls = [await first.url()]
    await using second = startPergola({ env })
    urls.push(await second.url())
    await work({ env, servers: [first, second], urls })
  }

  test(
    'setup-link renews the secret, and fails with the existing administrator after the setup',
    { timeout: slow },
    async () => {
      await withInstallation(async ({ env, servers, urls: [url = ''] }) => {
        const [, printed = ''] = /"setupSecret":"(pgi_[\w-]+)"/.exec(servers[1]?.stdout() ?? '') ?? []
        const made = await run(['setup-link'], {
          env: { ...env, PERGOLA_SERVER_PUBLIC_URL: 'https://pergola.example' },
        })
        expect(made).toMatchObject({ code: 0 })
        const [, at = '', secret = ''] =
          /setup +(\S+) {2}\(makes .*, once, until \d\d:\d\d\)\n +secret +(pgi_[\w-]{43}) /.exec(made.stdout) ?? []
        expect(at).toBe('https://pergola.example/console/setup')
        expect(made.stdout).toContain('next      curl')
        expect(made.stderr).toContain('"event":"setup-renew"')
        expect(made.stderr).not.toContain(secret)
        const ann = { username: 'ann', password: 'correct horse battery' }
        expect((await post(url, '/auth/setup', { ...ann, secret })).status).toBe(201)
        expect((await post(url, '/auth/setup', { ...ann, username: 'ben', secret: printed })).status).toBe(401)
        const again = await run(['setup-link'], { env })
        expect(again).toMatchObject({ code: 1, stdout: '' })
        expect(again.stderr).toBe(
          'there is a super administrator already; to help ann back in: pergola admin reset-password ann\n',
        )
      })
    },
  )

  test(
    'reset-password signs the user out on every replica; create-token creates a working token',
    { timeout: slow },
    async () => {
      await withInstallation(async ({ env, urls }) => {
        const [url = '', other = ''] = urls
        const link = await run(['setup-link', '--json'], { env })
        const { secret } = JSON.parse(link.stdout) as { secret: string }
        expect(
          (await post(url, '/auth/setup', { secret, username: 'ann', password: 'correct horse battery' })).status,
        ).toBe(201)
        const { body: session } = await signIn(url, 'ann', 'correct horse battery')
        const token = String(session['token'])
        for (const replica of urls) expect(await statusOf(replica, '/api/v1alpha1/users', token)).toBe(200)

        const files = { 'new-password': 'quite another one\n' }
        const reset = await run(['admin', 'reset-password', 'ann', '--password-file', 'new-password'], { env, files })
        expect(reset).toMatchObject({
          code: 0,
          stdout: '  The password of ann is set, and ann is signed out everywhere.\n',
        })
        expect(reset.stderr).toMatch(/"user":"\w+@[^"]+","event":"password-set","account":"ann","how":"command"/)
        expect(reset.stdout + reset.stderr).not.toContain('another')
        for (const replica of urls) {
          await expect.poll(() => statusOf(replica, '/apis', token)).toBe(401)
        }
        expect((await signIn(url, 'ann', 'correct horse battery')).status).toBe(401)
        expect((await signIn(other, 'ann', 'quite another one')).status).toBe(201)

        const generated = await run(['admin', 'reset-password', 'ann', '--generate', '--json'], { env })
        const { password } = JSON.parse(generated.stdout) as { password: string }
        expect(password).toMatch(/^[\w-]{24}$/)
        expect(generated.stderr).not.toContain(password)
        expect((await signIn(url, 'ann', password)).status).toBe(201)

        const made = await run(['admin', 'create-token', 'ann', '--name', 'rescue', '--expires', '1h'], { env })
        expect(made.code).toBe(0)
        const [, rescue = ''] =
          /token +(pgl_[\w-]{43}) {2}\(rescue of ann, until \S+; shown only now\)/.exec(made.stdout) ?? []
        expect(made.stderr).not.toContain(rescue)
        expect(await statusOf(other, own, rescue)).toBe(200)
        expect(await statusOf(other, '/api/v1alpha1/users', rescue)).toBe(200)
        const twice = await run(['admin', 'create-token', 'ann', '--name', 'rescue'], { env })
        expect(twice).toMatchObject({ code: 1, stdout: '' })
        expect(twice.stderr).toContain('personalaccesstoken "rescue" exists already')

        const listed = await run(['admin', 'list'], { env })
        expect(listed.stdout.split('\n').slice(0, 2)).toEqual([
          '  NAME  CAN SIGN IN  SESSIONS  BINDINGS',
          '  ann   yes          1         first-administrator',
        ])
        const asJson = await run(['admin', 'list', '--json'], { env })
        expect(JSON.parse(asJson.stdout)).toMatchObject({
          items: [{ name: 'ann', canSignIn: true, hasPassword: true }],
        })
      })
    },
  )
})

describe('secrets rotate', () => {
  const key = () => randomBytes(32).toString('base64')
  const config = (...keys: readonly string[]) =>
    `secrets: { keys: [${keys.map((file) => `{ file: ${file} }`).join(', ')}] }`

  test(
    'seals every secret with the first key, and names the secrets that it cannot open',
    { timeout: slow },
    async () => {
      const files = { first: `${key()}\n`, second: key(), password: 'correct horse battery' }
      const env = { PERGOLA_ADMIN_USERNAME: 'ann', PERGOLA_ADMIN_PASSWORD_FILE: 'password' }
      await using server = startPergola({ env, files: { ...files, 'pergola.yaml': config('second') } })
      const url = await server.url()
      const { body } = await signIn(url, 'ann', 'correct horse battery')
      const token = String(body['token'])
      for (const name of ['one', 'two']) {
        const secret = { metadata: { name }, data: { password: `of ${name}` } }
        expect((await post(url, '/api/v1alpha1/secrets', secret, token)).status).toBe(201)
      }
      server.signal('SIGTERM')
      await server.exited

      const { directory } = server
      const rotate = (...keys: readonly string[]) =>
        run(['secrets', 'rotate'], { directory, files: { 'pergola.yaml': config(...keys) } })
      const unopened = await rotate('first')
      expect(unopened).toMatchObject({ code: 1, stdout: '' })
      expect(unopened.stderr).toMatch(/2 of 2 secrets could not be opened:\n {2}\w+: .*add that key to secrets\.keys/)
      expect(await rotate('first', 'second')).toMatchObject({
        code: 0,
        stdout: '  2 secrets sealed with the first key, 0 already were; other keys are no longer needed\n',
        stderr: expect.stringContaining('"event":"secrets-rotate"') as string,
      })
      expect((await rotate('first')).stdout).toContain('0 secrets sealed with the first key, 2 already were')
      const none = await rotate()
      expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('set secrets.keys') as string })

      await using again = startPergola({ directory, files: { 'pergola.yaml': config('first') } })
      const headers = { authorization: `Bearer ${token}` }
      const read = await fetch(`${await again.url()}/api/v1alpha1/secrets/two`, { headers })
      expect(await read.json()).toMatchObject({ data: { password: 'of two' } })
    },
  )
})

describe('on a SQLite file that no server has open', () => {
  test(
    'setup-link creates the first administrator; reset-password reads the password without echo',
    { timeout: slow },
    async () => {
      await using server = startPergola()
      await server.url()
      const inUse = await run(['admin', 'list'], { directory: server.directory })
      expect(inUse).toMatchObject({ code: 1, stdout: '' })
      expect(inUse.stderr).toContain('the SQLite file pergola.db is in use by another process')
      server.signal('SIGTERM')
      await server.exited

      const nobody = await run(['admin', 'list'], { directory: server.directory })
      expect(nobody).toMatchObject({
        code: 0,
        stdout: 'There is no super administrator yet.  Next:  pergola setup-link\n',
      })
      const link = await run(['setup-link', '--json'], { directory: server.directory })
      const { secret } = JSON.parse(link.stdout) as { secret: string }
      // Without an administrator, a start would create a setup secret; the configuration creates the administrator instead.
      expect(secret).toMatch(/^pgi_/)
      const env = { PERGOLA_ADMIN_USERNAME: 'ann', PERGOLA_ADMIN_PASSWORD_FILE: 'password' }
      await using second = startPergola({
        directory: server.directory,
        env,
        files: { password: 'correct horse battery' },
      })
      await second.url()
      second.signal('SIGTERM')
      await second.exited

      const typed = await atTerminal(['admin', 'reset-password', 'ann'], server.directory, 'typed by hand 41\r')
      expect(typed.shown).toContain('new password of ann')
      expect(typed.shown).toContain('The password of ann is set')
      expect(typed.shown).not.toContain('typed by hand')
      await using third = startPergola({ directory: server.directory })
      expect((await signIn(await third.url(), 'ann', 'typed by hand 41')).status).toBe(201)
    },
  )
})

describe('a command that fails prints one sentence and sets the exit code:', { timeout: slow }, () => {
  const rows: readonly (readonly [args: readonly string[], code: number, message: RegExp])[] = [
    [['admin', 'reset-password', 'nobody', '--generate'], 1, /there is no user "nobody"/],
    [
      ['admin', 'reset-password', 'nobody'],
      1,
      /cannot prompt without a terminal; use --password-file <file> or --generate/,
    ],
    [['admin', 'reset-password', 'nobody', '--password-file', 'missing'], 1, /ENOENT.*missing/],
    [['admin', 'reset-password', 'nobody', '--generate', '--password-file', 'x'], 2, /cannot be used with option/],
    [['admin', 'reset-password'], 2, /missing required argument 'user'/],
    [['admin', 'create-token', 'nobody'], 1, /there is no user "nobody"/],
    [['admin', 'create-token', 'nobody', '--expires', 'soon'], 1, /--expires takes 90m, 12h, 30d/],
    [['admin', 'create-tokn', 'nobody'], 2, /Did you mean create-token/],
    [['admin', 'list', '--config', 'nowhere.yaml'], 2, /nowhere\.yaml cannot be read/],
  ]
  for (const [args, code, message] of rows) {
    test(args.join(' '), async () => {
      const outcome = await run(args, {})
      expect(outcome).toMatchObject({ code, stdout: '' })
      expect(outcome.stderr).toMatch(message)
      expect(outcome.stderr).not.toMatch(/^\s+at /m)
    })
  }

  test('a password that is too short', async () => {
    await using server = startPergola({
      env: { PERGOLA_ADMIN_USERNAME: 'ann', PERGOLA_ADMIN_PASSWORD_FILE: 'password' },
      files: { password: 'correct horse battery', short: 'short' },
    })
    await server.url()
    server.signal('SIGTERM')
    await server.exited
    const { directory } = server
    const outcome = await run(['admin', 'reset-password', 'ann', '--password-file', 'short'], { directory })
    expect(outcome).toMatchObject({ code: 1, stderr: 'the password must have 8 to 1024 characters\n' })
  })

  test('help lists every command and what it works on', async () => {
    const { stdout } = await run(['admin', '--help'], {})
    for (const command of ['list', 'reset-password', 'create-token']) expect(stdout).toContain(command)
    const token = await run(['admin', 'create-token', '--help'], {})
    expect(token.stdout).toContain('Works on the database of the configuration itself')
  })
})

/** Types input at a terminal; returns everything that the terminal showed. */
async function atTerminal(
  args: readonly string[],
  directory: string,
  keys: string,
): Promise<{ readonly shown: string }> {
  const main = join(import.meta.dirname, '../../packages/cli/src/main.ts')
  const command = [process.execPath, '--conditions=@pergola/source', main, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: directory, stdio: ['pipe', 'pipe', 'inherit'] })
  const shown = text(child.stdout)
  let seen = ''
  child.stdout.on('data', (chunk) => (seen += String(chunk)))
  for (const prompt of ['new password', 'the same again']) {
    await expect.poll(() => seen).toContain(prompt)
    child.stdin.write(keys)
  }
  await once(child, 'close')
  return { shown: await shown }
}
