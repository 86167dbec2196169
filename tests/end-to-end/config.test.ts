import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runHere } from './cli-in-process.ts'
import { startPergola } from './pergola-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'pergola-config-'))
afterAll(() => rmSync(folder, { recursive: true }))
const run = (...args: readonly string[]) => runHere({ args: ['config', ...args], folder, variables: {} })
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

const settings = `
server:
  port: 0
database: { url: "postgres://ann:hunter2@127.0.0.1:1/app" }
admin: { username: ann, passwordFile: password }
secrets:
  keys:
    - file: key
`

test('config check names every mistake with its line, as the server does, and exits as the server would', async () => {
  write('pergola.yaml', settings)
  const faults = [
    "pergola.yaml:5: admin.passwordFile: password cannot be read: ENOENT: no such file or directory, open 'password'",
    "pergola.yaml:8: secrets.keys.0 (key): key cannot be read: ENOENT: no such file or directory, open 'key'",
  ]
  const { code, stdout } = await run('check')
  expect({ code, stdout }).toEqual({
    code: 2,
    stdout: `${faults.map((fault) => `  ${fault}\n`).join('')}  2 mistakes\n`,
  })
  expect(JSON.parse((await run('check', '--json')).stdout)).toEqual({ file: 'pergola.yaml', faults })
  await using server = startPergola({ directory: folder })
  expect(await server.exited).toBe(2)
  for (const fault of faults) expect(server.stderr()).toContain(fault)

  write('password', 'correct horse battery')
  write('key', Buffer.alloc(32, 7).toString('base64'))
  expect(await run('check')).toMatchObject({ code: 0, stdout: '  pergola.yaml: no mistakes; 5 settings are set\n' })
  expect(await run('check', '--config', 'none.yaml')).toMatchObject({ code: 2 })
})

test('config print shows values with their sources, and no secret', async () => {
  write('pergola.yaml', settings)
  const { code, stdout } = await run('print')
  expect(code).toBe(0)
  expect(stdout).not.toContain('hunter2')
  expect(stdout).toMatch(/^ {2}SETTING +VALUE +FROM\n/)
  expect(stdout).toMatch(/\n {2}server\.host +127\.0\.0\.1 +default\n {2}server\.port +0 +pergola\.yaml:3\n/)
  const changed = await run('print', '--changed', '--json')
  expect(JSON.parse(changed.stdout)).toMatchObject({
    items: [
      { setting: 'server.port', value: 0, from: 'pergola.yaml:3' },
      { setting: 'database.url', value: 'postgres://ann:***@127.0.0.1:1/app' },
      { setting: 'admin.username' },
      { setting: 'admin.passwordFile', value: 'password' },
      { setting: 'secrets.keys.0', value: { file: 'key' }, from: 'pergola.yaml:8' },
    ],
  })
  write('pergola.yaml', 'server: { prot: 1 }')
  expect(await run('print')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('did you mean port?') as string,
  })
})
