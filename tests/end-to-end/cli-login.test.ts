import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startInstallation, type Installation } from './cli-installation.ts'

let installation: Installation
beforeAll(async () => {
  installation = await startInstallation({ isSignedIn: false })
})
afterAll(() => installation[Symbol.asyncDispose]())

const asAdmin = ['--username', 'admin', '--password-file', 'password']

describe('pergola login', () => {
  test('stores the session in a file of mode 600; logout ends the session on the server', async () => {
    const { url, folder, run, done } = installation
    const host = new URL(url).host
    expect(await done(['login', url, ...asAdmin])).toMatch(
      `  Signed in as admin (super-administrator) on ${host}.\n  next `,
    )
    const file = join(folder, 'config/pergola/servers.json')
    const modes = [join(folder, 'config/pergola'), file].map((path) => (statSync(path).mode & 0o777).toString(8))
    expect(modes).toEqual(['700', '600'])
    const { token } = (JSON.parse(readFileSync(file, 'utf8')) as { servers: [{ token: string }] }).servers[0]
    expect(await done(['whoami'])).toMatch(
      new RegExp(
        `^  user      admin\n  roles     super-administrator \\(rolebinding \\S+\\)\n  server    ${url}\n  until     20\\d\\d-`,
      ),
    )
    expect(await done(['whoami', '--server', host])).toContain(`server    ${url}`)
    const told = JSON.parse(await done(['whoami', '-o', 'json'])) as object
    expect(told).toMatchObject({ username: 'admin', server: url, kind: 'session' })
    expect(await done(['logout', '--plan'])).toContain('nothing has been changed')
    expect(await done(['logout'])).toContain(`The session was ended: admin on ${host}.`)
    const { status } = await fetch(`${url}/auth/sessions`, { headers: { authorization: `Bearer ${token}` } })
    expect(status).toBe(401)
    expect(await run(['whoami'])).toEqual({
      code: 4,
      stdout: '',
      stderr: 'not signed in on any server\n  next      pergola login <url>\n',
    })
  })

  test('a second login ends the first session; a command with an ended session asks to log in', async () => {
    const { url, folder, done, run } = installation
    await done(['login', url, ...asAdmin])
    const file = join(folder, 'config/pergola/servers.json')
    const first = readFileSync(file, 'utf8')
    await done(['login', url, ...asAdmin])
    writeFileSync(file, first)
    const ended = await run(['whoami'])
    expect(ended).toMatchObject({ code: 4, stdout: '' })
    expect(ended.stderr).toContain('pergola login')
  })

  test('accepts a personal access token from a file; the environment overrides the stored login', async () => {
    const { url, done, run, server } = installation
    await done(['login', url, ...asAdmin])
    const session = JSON.parse(readFileSync(join(installation.folder, 'config/pergola/servers.json'), 'utf8')) as {
      servers: [{ token: string }]
    }
    const made = await fetch(`${url}/apis/uc.api.platform.run/v1alpha1/personalaccesstokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${session.servers[0].token}`, 'content-type': 'application/json' },
      body: '{}',
    })
    const { token } = (await made.json()) as { token: string }
    const env = { XDG_CONFIG_HOME: join(installation.folder, 'nobody') }
    const files = { token }
    const outside = await run(['whoami', '-o', 'json'], {
      env: { ...env, PERGOLA_SERVER: url, PERGOLA_TOKEN_FILE: 'token' },
      files,
    })
    expect(JSON.parse(outside.stdout)).toMatchObject({ username: 'admin', kind: 'token' })
    expect(await done(['login', url, '--token-file', 'token'], { env })).toContain('Signed in as admin')
    expect(await done(['logout'], { env })).toContain('it is still valid on the server')
    expect(server.stderr()).not.toContain(token)
  })

  test.each([
    [
      'a wrong password',
      ['--username', 'admin', '--password-file', 'wrong'],
      4,
      'the user name or the password is wrong',
    ],
    ['a file that does not exist', ['--username', 'admin', '--password-file', 'nowhere'], 2, 'nowhere cannot be read'],
    ['no terminal', [], 2, 'cannot prompt without a terminal; use --username'],
  ])('%s fails with a reason', async (_what, args, code, words) => {
    const { url, run } = installation
    const ended = await run(['login', url, ...args], { files: { wrong: 'not that one' }, apart: true })
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toContain(words)
  })

  test.each([
    ['plain http to a remote host', 'http://192.0.2.1', 2, 'add --insecure-http'],
    ['a server that does not answer', 'http://127.0.0.1:9', 3, 'has no answer'],
  ])('%s fails with a reason', async (_what, url, code, words) => {
    const ended = await installation.run(['login', url, ...asAdmin], { apart: true })
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toContain(words)
    expect(ended.stderr).not.toMatch(/\n +at /)
  })

  test('a command without a login says how to log in', async () => {
    const { run, folder } = installation
    const nobody = { env: { XDG_CONFIG_HOME: join(folder, 'stranger') } }
    const elsewhere = await run(['list', 'roles', '--server', 'https://pergola.example'], nobody)
    expect(elsewhere).toEqual({
      code: 4,
      stdout: '',
      stderr: 'not signed in on pergola.example\n  next      pergola login https://pergola.example\n',
    })
    expect(await run(['logout'], nobody)).toMatchObject({ code: 4 })
    expect(await run(['logout', '--server', 'https://pergola.example'], nobody)).toMatchObject({ code: 4 })
    expect(await run(['list', 'roles', '--server', 'http://pergola.example'], nobody)).toMatchObject({ code: 2 })
    expect(await run(['doctor'], nobody)).toMatchObject({ code: 4 })
  })

  test('an unknown command or option exits with 2', async () => {
    expect(await installation.run(['lisst'], { apart: true })).toMatchObject({ code: 2, stdout: '' })
    expect(await installation.run(['whoami', '--nonsense'], { apart: true })).toMatchObject({ code: 2, stdout: '' })
  })
})
