import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startPergola } from './pergola-process.ts'

const env = { PERGOLA_AUDIT_FILE: 'audit.log', PERGOLA_DATABASE_URL: 'sqlite::memory:', PERGOLA_SERVER_STOP_DELAY: '0' }

/** Causes one audit line; returns the request id. */
async function denied(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1alpha1/roles`, { headers: { authorization: 'Bearer wrong' } })
  expect(answer.status).toBe(401)
  await answer.body?.cancel()
  return String(answer.headers.get('pergola-request-id'))
}

function linesIn(file: string): readonly string[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1)
}

const idsIn = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as { requestId?: string }).requestId)

test('SIGHUP reopens the audit log; the exit logs how many lines were written and lost', async () => {
  await using pergola = startPergola({ env })
  const url = await pergola.url()
  const file = join(pergola.directory, 'audit.log')
  const before = await denied(url)
  await expect.poll(() => linesIn(file).length).toBe(1)
  renameSync(file, `${file}.1`)
  pergola.signal('SIGHUP')
  await expect.poll(() => statSync(file, { throwIfNoEntry: false })?.size).toBe(0)
  const after = await denied(url)
  pergola.signal('SIGTERM')
  expect(await pergola.exited).toBe(0)
  expect([idsIn(linesIn(`${file}.1`)), idsIn(linesIn(file))]).toEqual([[before], [after]])
  const closed = pergola
    .stderr()
    .split('\n')
    .find((line) => line.includes('the audit log is closed'))
  expect(JSON.parse(closed ?? '{}')).toMatchObject({ written: 2, lost: 0 })
})

test('no request and no line is lost when the disk is full in the middle of a line', async () => {
  await using pergola = startPergola({ env })
  const url = await pergola.url()
  const file = join(pergola.directory, 'audit.log')
  const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(pergola.pid), `--fsize=${bytes}:unlimited`])
  const ids = [await denied(url)]
  await expect.poll(() => linesIn(file).length).toBe(1)
  const room = statSync(file).size + 700
  limit(String(room))
  for (let at = 0; at < 50; at++) ids.push(await denied(url))
  await expect.poll(() => pergola.stderr()).toContain('cannot write the audit log')
  expect(statSync(file).size).toBe(room)
  for (let at = 0; at < 50; at++) ids.push(await denied(url))
  limit('unlimited')
  await expect.poll(() => linesIn(file).length).toBeGreaterThan(100)
  const last = await denied(url)
  await expect.poll(() => linesIn(file).at(-1)).toContain(last)
  const lines = linesIn(file)
  const whole = lines.filter((line) => line.endsWith('}'))
  expect(lines.length - whole.length).toBe(1)
  expect(idsIn(whole)).toEqual([...ids, last])
  expect(pergola.stderr().split('cannot write the audit log')).toHaveLength(2)
})

test('a pipe without a reader does not delay the exit', async () => {
  using stack = new DisposableStack()
  const directory = stack.adopt(mkdtempSync(join(tmpdir(), 'pergola-pipe-')), (made) =>
    rmSync(made, { recursive: true }),
  )
  execFileSync('mkfifo', [join(directory, 'pipe')])
  await using pergola = startPergola({ env: { ...env, PERGOLA_AUDIT_FILE: 'pipe' }, directory })
  const url = await pergola.url()
  for (let at = 0; at < 20; at++) await denied(url)
  pergola.signal('SIGTERM')
  expect(await pergola.exited).toBe(0)
  expect(pergola.stderr()).toMatch(/"lost":20,.*the audit log is closed/)
})
