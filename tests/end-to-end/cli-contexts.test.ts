import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation } from './cli-installation.ts'
import { startPergola, type PergolaProcess } from './pergola-process.ts'

/** One session of a person with several logins: each test continues where the previous one ended. */
let installation: Installation
let second: PergolaProcess
let secondUrl = ''
beforeAll(async () => {
  installation = await startInstallation()
  second = startPergola({
    env: {
      PERGOLA_ADMIN_USERNAME: 'admin',
      PERGOLA_ADMIN_PASSWORD_FILE: 'password',
      PERGOLA_SERVER_STOP_DELAY: '0',
    },
    files: { password: 'correct horse battery' },
  })
  secondUrl = await second.url()
  await installation.done(['user', 'add', 'ann', '--password-file', 'password'])
})
afterAll(async () => {
  await installation[Symbol.asyncDispose]()
  await second[Symbol.asyncDispose]()
})

const userOf = async (...args: readonly string[]) => {
  const told = JSON.parse(await installation.done(['whoami', '-o', 'json', ...args])) as {
    readonly username: string
    readonly server: string
  }
  return [told.username, told.server]
}
const login = (url: string, username: string, ...more: readonly string[]) =>
  installation.done(['login', url, '--username', username, '--password-file', 'password', ...more])

test('two users on one server and a second server have a context each', async () => {
  const { url, done, folder } = installation
  await login(url, 'ann', '--context', 'ann')
  await login(secondUrl, 'admin', '--context', 'second')
  expect(await userOf()).toEqual(['admin', secondUrl])
  expect(await userOf('--context', 'ann')).toEqual(['ann', url])
  expect(await userOf('--context', new URL(url).host)).toEqual(['admin', url])
  const table = await done(['context', 'list'])
  expect(table.split('\n').map((line) => line.trimEnd().replaceAll(/ +/g, ' '))).toEqual([
    ' CONTEXT CURRENT USER SERVER BY',
    ` ${new URL(url).host} admin ${url} session`,
    ` ann ann ${url} session`,
    ` second yes admin ${secondUrl} session`,
    '',
  ])
  expect(await done(['context', 'list', '-o', 'json'])).not.toContain('pgs_')
  expect(statSync(join(folder, 'config/pergola/servers.json')).mode & 0o777).toBe(0o600)
})

test('context use changes the default; an option or a variable comes before it', async () => {
  const { url, done, run } = installation
  expect(await done(['context', 'use', 'ann'])).toBe(`  commands are sent as ann to ${url} now\n`)
  expect(await userOf()).toEqual(['ann', url])
  const told = await done(['whoami', '-o', 'json'], { env: { PERGOLA_CONTEXT: 'second' } })
  expect(JSON.parse(told)).toMatchObject({ server: secondUrl })
  expect(await userOf('--server', secondUrl)).toEqual(['admin', secondUrl])
  // Of both users on this server, the default one.
  expect(await userOf('--server', url)).toEqual(['ann', url])
  expect(await run(['whoami', '--context', 'an'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no context "an"; there are '),
  })
  expect((await run(['whoami', '--context', 'ann', '--server', url])).code).toBe(2)
})

test.each([
  ['without a scheme', (url: URL) => url.host],
  ['with a slash', (url: URL) => url.href],
  ['with a page of the console', (url: URL) => `${url.origin}/console/models/todos`],
  ['in capitals', (url: URL) => url.origin.toUpperCase()],
])('whoami finds the login by its address %s', async (_what, form) => {
  expect(await userOf('--server', form(new URL(secondUrl)))).toEqual(['admin', secondUrl])
})

test('a login without --context replaces that of the same user, not of others', async () => {
  const { url, folder, done } = installation
  const file = join(folder, 'config/pergola/servers.json')
  const tokenOf = (context: string) => {
    const { servers } = JSON.parse(readFileSync(file, 'utf8')) as { servers: { context: string; token: string }[] }
    return servers.find((one) => one.context === context)?.token
  }
  const admin = new URL(url).host
  const before = [tokenOf('ann'), tokenOf(admin)]
  await login(url, 'admin')
  expect(tokenOf('ann')).toBe(before[0])
  expect(tokenOf(admin)).not.toBe(before[1])
  expect(await done(['context', 'list', '-o', 'name'])).toBe(`ann\nsecond\n${admin}\n`)
})

test('context remove ends the session, and works while the server is away', async () => {
  const { done, run } = installation
  expect(await done(['context', 'remove', 'ann', '--plan'])).toContain('nothing has been changed')
  expect(await done(['context', 'remove', 'ann'])).toContain('its session was ended')
  expect((await run(['whoami', '--context', 'ann'])).code).toBe(2)
  second.signal('SIGKILL')
  await second.exited
  expect(await done(['context', 'remove', 'second'])).toContain('the server did not answer')
  expect(await done(['context', 'list', '-o', 'name'])).toBe(`${new URL(installation.url).host}\n`)
})
