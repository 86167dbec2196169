import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdirSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { StringDecoder } from 'node:string_decoder'
import { afterAll, expect, test } from 'vitest'
import { auditDirectory, idOf, linesIn, linesOf, type AuditLine } from './audit-lines.ts'
import { core } from './people.ts'
import { expectStatus, type Answer } from './request.ts'
import { onEachEngine, type Api } from './server.ts'

const directory = auditDirectory()
const roles = `${core}/roles`

/** A denied request, which leaves an audit line. */
const denied = (api: Api) => api.request('GET', roles, { token: 'wrong' })

/** Sends `count` denied requests, pipelined on a few connections; resolves when all are answered. */
async function many(api: Api, count: number): Promise<void> {
  const callers = 4
  const request = `GET ${roles} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer wrong\r\n\r\n`
  const { hostname, port } = new URL(api.origin())
  const caller = async () => {
    const socket = connect(Number(port), hostname)
    socket.write(request.repeat(count / callers))
    let answers = 0
    for await (const line of createInterface({ input: socket })) {
      // The status line follows the body of the previous response on the same line.
      if (line.includes('HTTP/1.1 401 ')) answers++
      if (answers === count / callers) break
    }
    socket.destroy()
    expect(answers).toBe(count / callers)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

interface StuckPipe {
  readonly path: string
  /** Complete lines since the last call; nothing else reads the pipe. */
  read(): readonly AuditLine[]
  /** Fills the pipe until it accepts no more bytes. */
  fill(): void
  /** Whether the pipe is still full, that is, was not read since `fill`. */
  isFull(): boolean
}

/** A pipe with a reader that reads only when `read` is called. */
function stuckPipe(name: string): StuckPipe {
  const path = join(directory, name)
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  // Without a writer of its own, the pipe would end with the first server.
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  afterAll(() => {
    closeSync(reader)
    closeSync(writer)
  })
  /** 0 when the pipe is empty, or full. */
  const unlessItWaits = (move: () => number) => {
    try {
      return move()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
      throw error
    }
  }
  const takes = (bytes: number) => unlessItWaits(() => writeSync(writer, '\n'.repeat(bytes))) > 0
  const decoder = new StringDecoder()
  const buffer = Buffer.alloc(65_536)
  let unfinished = ''
  return {
    path,
    read: () => {
      for (let count; (count = unlessItWaits(() => readSync(reader, buffer))) > 0;) {
        unfinished += decoder.write(buffer.subarray(0, count))
      }
      const lines = unfinished.split('\n')
      unfinished = lines.pop() ?? ''
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as AuditLine)
    },
    fill: () => {
      for (const bytes of [4_096, 1]) while (takes(bytes));
    },
    isFull: () => !takes(1),
  }
}

const unread = stuckPipe('unread')

onEachEngine(
  (api) => {
    test('C7-85 an audit pipe that nobody reads does not delay requests', async () => {
      unread.fill()
      await many(api, 1_000)
      const answers: Answer[] = []
      for (let at = 0; at < 101; at++) answers.push(await denied(api))
      for (const answer of answers) expectStatus(answer, 401)
      // All requests were answered before the pipe was read; their lines arrive only now.
      expect(unread.isFull()).toBe(true)
      const missing = new Set(answers.map(idOf))
      const read = () => {
        for (const { requestId = '' } of unread.read()) missing.delete(requestId)
        return missing.size
      }
      await expect.poll(read).toBe(0)
    })
  },
  { env: { PERGOLA_AUDIT_FILE: unread.path } },
)

/** More than the pipe holds plus the 10,000 lines that may be queued. */
const enough = 12_000
const late = stuckPipe('late')

onEachEngine(
  (api) => {
    test('C7-86 dropped audit lines are counted, and a line in their place gives the count', async () => {
      await many(api, enough)
      const lines: AuditLine[] = []
      const read = () => (lines.push(...late.read()), lines)
      const told = () => lines.filter(({ event }) => event === 'dropped')
      await expect.poll(() => (read(), told().length)).toBeGreaterThan(0)
      const after = await denied(api)
      await expect.poll(() => read().at(-1)?.requestId).toBe(idOf(after))
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
    test('C7-87 without the directory of the audit file the server serves, logs it once, and writes when it can', async () => {
      const said = () =>
        api
          .logged()
          .split('\n')
          .filter((line) => line.includes('cannot write the audit log'))
      const first = await api.request('POST', roles, { body: { metadata: { generateName: 'kept-' }, rules: [] } })
      expectStatus(first, 201)
      await many(api, 52)
      await expect.poll(() => said().length).toBe(1)
      expect(JSON.parse(said()[0] ?? '')).toMatchObject({
        level: 'warn',
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
    test('C7-88 only its owner can read the audit file, and the file can be moved away', async () => {
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
