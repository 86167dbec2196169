import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@pergola/test-servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPeople } from '../../packages/cli/src/dev/people-file.ts'
import { createPlugin } from '../../packages/create-pergola-plugin/src/create-plugin.ts'
import { startPergola, type PergolaProcess } from './pergola-process.ts'

const repository = join(import.meta.dirname, '../..')
const parent = mkdtempSync(join(tmpdir(), 'pergola-dev-'))
afterAll(() => rmSync(parent, { recursive: true }))
const timeout = 120_000
const patience = { timeout: 60_000, interval: 20 }

/** A plugin from `npm create pergola-plugin`, with its dependencies. */
function newProject(name: string) {
  const folder = join(parent, name)
  createPlugin(folder, { name, group: `${name}.example.com`, version: '0.9.0' })
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const file = join(folder, 'src/plugin.ts')
  const code = readFileSync(file, 'utf8')
  return {
    folder,
    code,
    plural: `${name}s`,
    /** Writes the whole file, as an editor does. */
    save: (text: string) => writeFileSync(file, text),
    /** The source of the plugin, with a counter that starts at this number. */
    countingFrom: (first: number) => code.replace('open: await', `open: ${first} + await`),
  }
}

function startDev(directory: string, ...args: readonly string[]): PergolaProcess {
  return startPergola({ directory, args: ['dev', '--port', '0', ...args] })
}

/** Waits until the output matches. */
async function told(dev: PergolaProcess, words: string | RegExp): Promise<void> {
  await expect.poll(() => dev.stdout(), patience).toMatch(words)
}

/** A user from the file that `--as` reads. */
function callAs(folder: string, person: string) {
  const { url = '', tokens = {} } = readPeople(folder) ?? {}
  const token = tokens[person]
  return async (path: string, { body, method = body === undefined ? 'GET' : 'POST' }: CallOptions = {}) => {
    const headers = {
      ...(typeof token === 'string' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
  }
}

type Call = ReturnType<typeof callAs>

interface CallOptions {
  readonly body?: object
  readonly method?: string
}

/** The child processes of a process. */
function childrenOf({ pid: command }: PergolaProcess): readonly string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && statusOf(pid).includes(`\nPPid:\t${command}\n`))
}

/** Empty if there is no such process. */
function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

const stillThere = (pids: readonly string[]) => pids.filter((pid) => /^State:\t[^Z]/m.test(statusOf(pid)))

const statsOf = (name: string) => `/apis/console.api.${name}.example.com/v1alpha1/${name}s/-/stats`
const objectsOf = (name: string) => `/apis/${name}.example.com/v1alpha1/${name}s`

/** Two callers that send requests all the time, and record every status except 200. */
function steadyStream(folder: string, name: string) {
  const stopping = new AbortController()
  const failed: unknown[] = []
  let answered = 0
  const [admin, ann] = [callAs(folder, 'admin'), callAs(folder, 'ann')]
  const one = async (call: typeof admin, path: string) => {
    while (!stopping.signal.aborted) {
      const { status, json } = await call(path)
      answered++
      if (status !== 200) failed.push([path, status, json])
      await sleep(5)
    }
  }
  const streams = Promise.all([
    one(admin, statsOf(name)),
    one(ann, `/apis/uc.api.${name}.example.com/v1alpha1/${name}s`),
  ])
  return {
    answered: () => answered,
    /** Stops and returns the failures. */
    stop: async () => {
      stopping.abort()
      await streams
      return failed
    },
  }
}

const words = (...lines: readonly string[]) => lines.join('\n')

describe('pergola dev', () => {
  const name = 'devnote'
  const project = newProject(name)
  const { folder, code, save, countingFrom, plural } = project
  const admin: Call = (...args) => callAs(folder, 'admin')(...args)
  const ann: Call = (...args) => callAs(folder, 'ann')(...args)
  const nobody: Call = (...args) => callAs(folder, 'nobody')(...args)
  const openIn = async () => (await admin(statsOf(name))).json['open']
  let inspectPort = 0
  let dev: PergolaProcess
  beforeAll(async () => {
    inspectPort = await freePort()
    dev = startDev(folder, '--inspect-port', String(inspectPort))
  })
  afterAll(() => dev[Symbol.asyncDispose]())

  /** The process that listens on the debugger port. */
  const inspected = async () => {
    const answer = await fetch(`http://127.0.0.1:${inspectPort}/json/list`).catch(() => undefined)
    const [target] = ((await answer?.json()) ?? []) as readonly { readonly id: string }[]
    return target?.id
  }
  let firstInspected: string | undefined

  test(
    'says where everything is, what it started and what it approved, without colours where nobody looks',
    { timeout },
    async () => {
      await told(dev, 'kept between runs; --reset starts again')
      const { origin } = new URL(await dev.url())
      const stdout = dev.stdout()
      expect(stdout).toContain(
        words(
          `   (opens signed in as admin, once)`,
          `  api      ${origin}${objectsOf(name)}   (documented at /openapi)`,
          `  try      npx pergola --as admin list ${plural}   (--as ann: signed in, --as nobody: anonymous)`,
          `  debug    127.0.0.1:${inspectPort} (VS Code: F5)`,
        ),
      )
      expect(stdout).toMatch(/^ {2}pergola dev \d+\.\d+\.\d+ · ready in \d+\.\d s · SQLite \.pergola\/dev\.db/m)
      expect(stdout).toMatch(
        /^\d\d:\d\d:\d\d devnote {2}started in \d+ ms: 1 model, 2 indexes, 3 role templates, 1 route \+ own devnotes$/m,
      )
      expect(stdout).toContain(`approved, since this is development: console-code, ${name}-own into authenticated\n`)
      expect(stdout.trimEnd().split('\n')).toHaveLength(8)
      expect(stdout).not.toContain('\u001B[')
    },
  )

  test('has signed-in users, in a private file, and the objects of seed/', async () => {
    expect(statSync(join(folder, '.pergola/people.json')).mode & 0o777).toBe(0o600)
    expect(await admin(statsOf(name))).toMatchObject({ status: 200, json: { open: 1, done: 0 } })
    const own = await ann(`/apis/uc.api.${name}.example.com/v1alpha1/${plural}`)
    expect(own).toMatchObject({ status: 200, json: { items: [{ metadata: { name: 'first' } }] } })
    expect((await nobody(statsOf(name))).status).toBe(401)
  })

  test('prints denied requests with the command that would grant them', async () => {
    expect((await ann(objectsOf(name))).status).toBe(403)
    await told(
      dev,
      words(
        `http  403 ann GET ${objectsOf(name)}`,
        `               ann may not list ${plural} in ${name}.example.com; role template ${name}-view would allow it`,
        `               pergola grant ann ${name}-view`,
      ),
    )
    expect(dev.stdout()).not.toContain('http  200')
  })

  test('lets other commands act as its users, only in its folder', { timeout }, async () => {
    const run = async (directory: string, ...args: readonly string[]) => {
      const env = { HOME: directory, XDG_CONFIG_HOME: join(directory, 'config') }
      await using command = startPergola({ directory, args, env })
      return { code: await command.exited, stdout: command.stdout(), stderr: command.stderr() }
    }
    const src = join(folder, 'src')
    expect(await run(src, '--as', 'ann', 'list', plural)).toMatchObject({ code: 1, stdout: '' })
    expect((await run(src, 'list', plural, '--as', 'admin')).stdout).toContain('first')
    expect((await run(src, '--as', 'nobody', 'whoami')).stdout).toContain('nobody (not signed in)')
    // The command from the log line about the denied request.
    expect((await run(folder, 'grant', 'ann', `${name}-view`)).stdout).toContain(`rolebinding ann-${name}-view created`)
    expect((await run(src, '--as', 'ann', 'list', plural)).stdout).toContain('first')
    expect((await run(folder, 'can-i', 'delete', plural, '--as', 'ann')).stdout).toContain('no  ann may not delete')
    expect((await run(folder, 'revoke', 'ann', `${name}-view`)).code).toBe(0)

    expect(await run(folder, '--as', 'bob', 'whoami')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no test user "bob"; --as accepts admin, ann, nobody') as string,
    })
    expect((await run(folder, '--as', 'ann', 'plugin', 'pack')).code).toBe(2)
    const elsewhere = mkdtempSync(join(parent, 'elsewhere-'))
    expect(await run(elsewhere, '--as', 'ann', 'whoami')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--as is for "pergola dev", which does not run in this folder') as string,
    })
    const { origin } = new URL(await dev.url())
    expect(await run(folder, '--as', 'ann', 'whoami', '--server', origin)).toMatchObject({ code: 2 })
  })

  test('lets pages of this machine call with a token, and no others', async () => {
    const preflight = async (origin: string) => {
      const { origin: url } = new URL(await dev.url())
      const headers = { origin, 'access-control-request-method': 'GET' }
      const answer = await fetch(`${url}${objectsOf(name)}`, { method: 'OPTIONS', headers })
      return answer.headers.get('access-control-allow-origin')
    }
    expect(await preflight('http://localhost:5173')).toBe('http://localhost:5173')
    expect(await preflight('http://localhost.example.com')).toBeNull()
    expect(await preflight('https://example.com')).toBeNull()
  })

  test('each of 20 saves in a row ends with the new code answering', { timeout: 600_000 }, async () => {
    await expect.poll(inspected, patience).toBeDefined()
    firstInspected = await inspected()
    for (let at = 1; at <= 20; at++) {
      save(countingFrom(at * 100))
      await expect.poll(openIn, { ...patience, interval: 50 }).toBe(at * 100 + 1)
    }
    expect(dev.stdout()).toMatch(/devnote {2}src\/plugin\.ts saved, reloaded in \d+ ms/)
    // The debugger port belongs to the process that answers now.
    await expect.poll(inspected, patience).not.toBe(firstInspected)
    await expect.poll(inspected, patience).toBeDefined()
  })

  const keeps = String.raw`\n +the version of \d\d:\d\d:\d\d keeps answering\n`
  const broken: readonly (readonly [what: string, text: string, fault: string])[] = [
    ['syntax', `${code}const x = ;\n`, String.raw`src/plugin\.ts:\d+:11 Unexpected token`],
    [
      'definition',
      code.replace("'spec.state']", "'spec.titel']"),
      String.raw`src/plugin\.ts:\d+:\d+ models\.Devnote\.indexes\[1\]: "spec\.titel" .*`,
    ],
    [
      'schema',
      code.replace('maxLength: 120', "pattern: '(?=a)'"),
      String.raw`src/plugin\.ts:\d+:\d+ models\.Devnote: .*pattern cannot be matched in linear time.*`,
    ],
    [
      'start',
      `${code}\nif (process.env.PERGOLA_PROTOCOL) throw new Error('not like this')\n`,
      String.raw`src/plugin\.ts:\d+ Error: not like this\n +it ended with code 1 before it was healthy:?`,
    ],
  ]
  test(
    'goes on answering through broken saves, tells where each is broken, and follows the next',
    { timeout },
    async () => {
      const stream = steadyStream(folder, name)
      let good = 100
      for (const [, text, fault] of broken) {
        save(countingFrom(++good))
        await expect.poll(openIn, patience).toBe(good + 1)
        const before = dev.stdout().length
        save(text)
        await expect.poll(() => dev.stdout().slice(before), patience).toMatch(new RegExp(`${fault}${keeps}`))
        expect(
          dev
            .stdout()
            .slice(before)
            .match(/keeps answering/g),
        ).toHaveLength(1)
        expect(await openIn()).toBe(good + 1)
        const answered = stream.answered()
        await expect.poll(stream.answered, patience).toBeGreaterThan(answered + 20)
      }
      expect(await stream.stop()).toEqual([])
      expect(dev.stdout()).not.toMatch(/came to nothing|cannot be started/)
    },
  )

  test('loses no save that arrives during a reload', { timeout }, async () => {
    for (let at = 1; at <= 10; at++) {
      save(countingFrom(at * 1_000))
      await sleep(100)
    }
    await expect.poll(openIn, patience).toBe(10_001)
    const reloads = dev.stdout().match(/saved, reloaded in/g)?.length ?? 0
    await sleep(500)
    expect(await openIn()).toBe(10_001)
    expect(dev.stdout().match(/saved, reloaded in/g)).toHaveLength(reloads)
  })

  test('prints where the plugin failed', { timeout }, async () => {
    const failing = code
      .replace('async ({ client }) => ({', 'async ({ client }) => fails() || ({')
      .replace('export default', "function fails(): false {\n  throw new TypeError('boom')\n}\n\nexport default")
    save(failing)
    await expect.poll(async () => (await admin(statsOf(name))).status, patience).toBe(500)
    const line = failing.split('\n').findIndex((text) => text.includes('boom')) + 1
    await told(dev, new RegExp(String.raw`http {2}500 admin GET \S+stats\n +src/plugin\.ts:${line} TypeError: boom\n`))
  })

  test('ends without anything left, and has everything at the next start', { timeout }, async () => {
    const body = { metadata: { name: 'kept' }, spec: { title: 'Kept', owner: 'ann' } }
    expect((await admin(objectsOf(name), { body })).status).toBe(201)
    expect((await admin(`${objectsOf(name)}/first`, { method: 'DELETE' })).status).toBe(200)
    save(`${code}\n// saved once more`)
    // The plugin process and the process that compiles the next save.
    await expect.poll(() => childrenOf(dev), patience).toHaveLength(2)
    const children = childrenOf(dev)
    dev.signal('SIGINT')
    expect(await dev.exited).toBe(0)
    expect(stillThere(children)).toEqual([])
    expect(existsSync(join(folder, '.pergola/people.json'))).toBe(false)

    save(code)
    await using again = startDev(folder, '--no-inspect')
    await told(again, 'started in')
    expect(await openIn()).toBe(1)
    await using second = startDev(folder)
    expect(await second.exited).toBe(1)
    expect(second.stderr()).toContain('pergola dev runs here already')
    // By now, a repeated seed would be visible.
    expect(again.stdout()).not.toMatch(/seed {2}|debug {2}/)
    expect(await openIn()).toBe(1)
    const pluginAgain = childrenOf(again)
    expect(pluginAgain).toHaveLength(1)
    again.signal('SIGKILL')
    await again.exited
    await expect.poll(() => stillThere(pluginAgain)).toEqual([])

    await using anew = startDev(folder, '--reset', '--no-inspect')
    await told(anew, 'an object of seed/')
    const own = await admin(objectsOf(name))
    expect(own.json).toMatchObject({ items: [{ metadata: { name: 'first' } }] })
    anew.signal('SIGTERM')
    expect(await anew.exited).toBe(0)
  })
})

test('waits for a plugin that does not compile yet, and for its seed', { timeout }, async () => {
  const name = 'devlate'
  const { folder, code, save } = newProject(name)
  const seed = join(folder, `seed/${name}s.yaml`)
  const sound = readFileSync(seed, 'utf8')
  save(`${code}const x = ;\n`)
  writeFileSync(seed, sound.replace('title: First', "title: ''"))
  await using dev = startDev(folder, '--no-inspect')
  await told(dev, 'no version is running; the next save retries')
  expect(dev.stdout()).toMatch(/dev {3}src\/plugin\.ts:\d+:11 Unexpected token/)
  save(code)
  await told(dev, 'src/plugin.ts saved, reloaded in')
  await told(dev, /seed\/devlates\.yaml:\d+:\d+ .*spec\.title/)
  writeFileSync(seed, sound)
  await told(dev, 'an object of seed/')
  expect((await callAs(folder, 'admin')(statsOf(name))).json['open']).toBe(1)
})

describe('pergola dev prints one line if it cannot start', () => {
  test('without a plugin', { timeout }, async () => {
    await using dev = startDev(mkdtempSync(join(parent, 'empty-')))
    expect(await dev.exited).toBe(2)
    expect(dev.stderr()).toMatch(/^there is no package\.json in .*; run this in the folder of a plugin\n$/)
  })

  test('when the port is taken', { timeout }, async () => {
    const { folder } = newProject('devport')
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    await using dev = startDev(folder, '--port', String(port), '--no-inspect')
    expect(await dev.exited).toBe(1)
    expect(dev.stderr()).toContain(`127.0.0.1:${port} is in use by another program`)
    expect(dev.stderr()).toContain('--port <port>')
    taken.close()
  })
})
