import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, test } from 'vitest'
import { auditDirectory, idOf, linesIn, linesOf, type AuditLine } from './audit-lines.ts'
import { core } from './people.ts'
import { expectStatus } from './request.ts'
import { onEachEngine, type Api } from './server.ts'

const directory = auditDirectory()
const roles = `${core}/roles`

/** Leaves a line. */
const denied = (api: Api) => api.request('GET', roles, { token: 'wrong' })

/** The same as often as it is asked for, one behind the other on a few connections; answers when all are answered. */
async function many(api: Api, count: number): Promise<void> {
  const callers = 4
  const request = `GET ${roles} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer wrong\r\n\r\n`
  const { hostname, port } = new URL(api.origin())
  const caller = async () => {
    const socket = connect(Number(port), hostname)
    socket.write(request.repeat(count / callers))
    let answers = 0
    for await (const line of createInterface({ input: socket })) {
      // Behind the body of the answer before.
      if (line.includes('HTTP/1.1 401 ')) answers++
      if (answers === count / callers) break
    }
    socket.destroy()
    expect(answers).toBe(count / callers)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

/** A pipe that somebody has opened, and only reads when it is asked to. */
function stuckPipe(name: string): { readonly path: string; readonly reader: Socket } {
  const path = join(directory, name)
  execFileSync('mkfifo', [path])
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  // It would end with the first server.
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  const reader = new Socket({ fd, readable: true, writable: false })
  afterAll(() => {
    reader.destroy()
    closeSync(writer)
  })
  return { path, reader }
}

const unread = stuckPipe('unread')

onEachEngine(
  (api) => {
    test('C7-85 a pipe that nobody reads keeps nobody waiting', async () => {
      await many(api, 1_000)
      // Each is answered while the pipe is still full.
      let answered = 0
      for (; answered < 101; answered++) await denied(api)
      expect(answered).toBe(101)
    })
  },
  { env: { PERGOLA_AUDIT_FILE: unread.path } },
)

/** More than a pipe holds and 10,000 that may wait for it. */
const enough = 12_000
const late = stuckPipe('late')

onEachEngine(
  (api) => {
    test('C7-86 lines that found no room are counted, and a line tells how many where they are missing', async () => {
      await many(api, enough)
      const lines: AuditLine[] = []
      using reading = createInterface({ input: late.reader })
      reading.on('line', (line) => lines.push(JSON.parse(line) as AuditLine))
      const told = () => lines.filter(({ event }) => event === 'dropped')
      await expect.poll(() => told().length).toBeGreaterThan(0)
      const after = await denied(api)
      await expect.poll(() => lines.at(-1)?.requestId).toBe(idOf(after))
      const dropped = told().reduce((sum, { count = 0 }) => sum + count, 0)
      const kept = lines.filter(({ requestId }) => requestId !== undefined)
      expect(kept.length + dropped).toBe(enough + 1)
      expect(dropped).toBeGreaterThan(0)
      expect(told()[0]).toMatchObject({ audit: 1, since: expect.stringMatching(/Z$/) as string })
      expect(lines.findIndex(({ event }) => event === 'dropped')).toBeGreaterThan(1_000)
    })
  },
  { env: { PERGOLA_AUDIT_FILE: late.path } },
)

const missing = join(directory, 'missing', 'audit.log')

onEachEngine(
  (api) => {
    test('C7-87 without its directory the server serves, says so once, and writes when it can', async () => {
      const said = () =>
        api
          .logged()
          .split('\n')
          .filter((line) => line.includes('audit log cannot be written'))
      const first = await api.request('POST', roles, { body: { metadata: { generateName: 'kept-' }, rules: [] } })
      expectStatus(first, 201)
      await many(api, 52)
      await expect.poll(() => said().length).toBe(1)
      expect(JSON.parse(said()[0] ?? '')).toMatchObject({
        level: 40,
        file: missing,
        why: expect.stringContaining('ENOENT') as string,
      })
      mkdirSync(join(directory, 'missing'), { recursive: true })
      await expect.poll(() => statSync(missing, { throwIfNoEntry: false })?.size ?? 0).toBeGreaterThan(0)
      expect(await linesOf(missing, first)).toMatchObject([{ status: 201 }])
      execFileSync('rm', ['-r', join(directory, 'missing')])
      expect(said()).toHaveLength(1)
    })
  },
  { env: { PERGOLA_AUDIT_FILE: missing }, keepsLog: true },
)

const moved = join(directory, 'moved.log')

onEachEngine(
  (api) => {
    test('C7-88 the file is for its owner alone, and can be moved away', async () => {
      const before = await denied(api)
      await linesOf(moved, before)
      expect((statSync(moved).mode & 0o777).toString(8)).toBe('600')
      renameSync(moved, `${moved}.1`)
      await expect
        .poll(
          async () => expectStatus(await denied(api), 401) ?? statSync(moved, { throwIfNoEntry: false })?.isFile(),
          {
            timeout: 60_000,
            interval: 100,
          },
        )
        .toBe(true)
      expect(linesIn(`${moved}.1`).map(({ requestId }) => requestId)).toContain(idOf(before))
      const answers = await Promise.all(Array.from({ length: 20 }, () => denied(api)))
      await api.restart()
      const ids = linesIn(moved).map(({ requestId }) => requestId)
      for (const answer of answers) expect(ids).toContain(idOf(answer))
    })
  },
  { env: { PERGOLA_AUDIT_FILE: moved } },
)
