import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createInspector } from './inspector.ts'
import { startPluginProcess, type PluginProcess } from './plugin-process.ts'

const directory = mkdtempSync(join(tmpdir(), 'pergola-plugin-test-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** A program that implements the protocol, plus some code. */
const answering = (more = '') => `
  import { createServer } from 'node:http'
  import { readFileSync } from 'node:fs'
  import { spawn } from 'node:child_process'
  const { token, listen, host } = JSON.parse(readFileSync(3, 'utf8'))
  const server = createServer((request, response) => {
    if (request.headers.authorization !== 'Bearer ' + token) return response.writeHead(401).end()
    response.end(JSON.stringify({ path: request.url, host, environment: Object.keys(process.env).sort() }))
  }).listen(listen)
  console.log('up')
  ${more}`

let files = 0
const options = (program: string) => {
  const file = join(directory, `plugin-${++files}.mjs`)
  writeFileSync(file, program)
  return {
    name: 'test',
    command: [process.execPath, file],
    directory,
    hostSocket: '/host.sock',
    limits: { memoryBytes: 300 * 1024 * 1024, processes: 8, scratchBytes: 64 * 1024 * 1024, startMs: 60_000 },
    onLine: () => {},
  }
}
const start = (program: string): Promise<PluginProcess> => startPluginProcess(options(program))
const isRunning = (pid: number) => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

test('a plugin starts, becomes healthy, returns its definition, and exits when it is released', async () => {
  const plugin = await start(answering())
  expect(await plugin.link.definition()).toEqual({
    path: '/pergola/definition',
    host: '/host.sock',
    environment: ['HOME', 'PATH', 'PERGOLA_PROCESS', 'PERGOLA_PROTOCOL', 'TMPDIR', 'TZ'],
  })
  await expect.poll(() => plugin.log.lines()).toEqual(['up'])
  const refused = await plugin.link.pool.request({ path: '/pergola/health', method: 'GET' })
  expect(refused.statusCode).toBe(401)
  await refused.body.dump()
  expect(isRunning(plugin.pid)).toBe(true)
  await plugin[Symbol.asyncDispose]()
  expect(isRunning(plugin.pid)).toBe(false)
  expect(await plugin.exited).toMatchObject({ how: 'was ended by SIGTERM', lines: ['up'] })
})

test('health checks and evaluation work while the maximum number of calls is open', async () => {
  await using plugin = await start(answering().replace('response.end(', "if (request.url !== '/open') response.end("))
  const ending = new AbortController()
  const call = () =>
    plugin.link.pool.request({
      path: '/open',
      method: 'GET',
      headers: { authorization: plugin.link.authorization },
      signal: ending.signal,
    })
  const calls = Promise.allSettled(Array.from({ length: 300 }, call))
  expect(await plugin.link.isHealthy()).toBe(true)
  expect(await plugin.link.evaluate([])).toMatchObject({ path: '/pergola/evaluate' })
  ending.abort()
  await calls
})

describe('a program that does not become healthy is killed, with the reason:', () => {
  const cases: readonly (readonly [what: string, program: string, message: string])[] = [
    [
      'exits at once',
      `console.error('no database'); process.exit(3)`,
      'it ended with code 3 before it was healthy:\n  no database',
    ],
    ['throws', `throw new Error('a planted one')`, 'a planted one'],
    [
      'never listens',
      `setInterval(() => {}, 1000)`,
      'it was not healthy after 1 s: GET /pergola/health on its socket was not answered with 200 within plugins.startTimeout',
    ],
    ['spins', `for (;;) {}`, 'it was not healthy after 1 s'],
    ['answers garbage', answering().replace('response.end', 'response.socket.end'), 'it was not healthy after 1 s'],
  ]
  for (const [what, program, message] of cases) {
    test(what, async () => {
      const given = options(program)
      const limits = { ...given.limits, startMs: message.includes('1 s') ? 1_000 : 60_000 }
      await expect(startPluginProcess({ ...given, limits })).rejects.toThrow(message)
    })
  }

  test('does not exist', async () => {
    const missing = { ...options(''), command: ['/nowhere/at-all'] }
    await expect(startPluginProcess(missing)).rejects.toThrow(/before it was healthy/)
  })
})

describe('a misbehaving plugin is killed, with the reason:', () => {
  // Bounded, so that it does not exhaust the machine if the limit fails.
  const leak = `const held = []; setInterval(() => { if (held.length < 80) held.push(Buffer.alloc(8e6, 1)) }, 5)`
  const cases: readonly (readonly [what: string, more: string, how: RegExp])[] = [
    ['memory outside the heap', leak, /^used \d+ MiB of memory; the limit is 300$/],
    [
      'too many processes',
      `for (let at = 0; at < 12; at++) spawn('sleep', ['60'])`,
      /had \d+ processes; the limit is 8/,
    ],
    ['an exit', `setTimeout(() => process.exit(7), 1000)`, /^ended with code 7$/],
    ['an unhandled rejection', `setTimeout(() => Promise.reject(new Error('x')), 1000)`, /^ended with code 1$/],
  ]
  for (const [what, more, how] of cases) {
    test(what, async () => {
      // On a busy machine it may be killed before it is healthy.
      const plugin = await start(answering(more)).catch((error: Error) => error)
      if (plugin instanceof Error) return expect(plugin.message).toMatch(how)
      expect((await plugin.exited).how).toMatch(how)
      expect(isRunning(plugin.pid)).toBe(false)
    })
  }

  test('a plugin that does not answer for 15 s; it has a lower priority than the host', async () => {
    await using plugin = await start(answering(`process.on('SIGUSR2', () => { for (;;) {} })`))
    process.kill(plugin.pid, 'SIGUSR2')
    expect(getPriority(plugin.pid)).toBe(10)
    expect(readFileSync(`/proc/${plugin.pid}/oom_score_adj`, 'utf8').trim()).toBe('500')
    expect((await plugin.exited).how).toBe('did not answer for 15 s')
  })

  test('a plugin that ignores SIGTERM', async () => {
    await using plugin = await start(answering(`process.on('SIGTERM', () => { for (;;) {} })`))
    await plugin[Symbol.asyncDispose]()
    expect((await plugin.exited).how).toBe('did not stop when it was asked to')
    expect(isRunning(plugin.pid)).toBe(false)
  })

  const children: readonly (readonly [what: string, started: string])[] = [
    ['', `spawn('sleep', ['60'])`],
    [' in another session, with its output pipe', `spawn('sleep', ['60'], { detached: true, stdio: 'inherit' })`],
    [' in another session, without its environment', `spawn('sleep', ['60'], { detached: true, env: {} })`],
  ]
  for (const [what, started] of children) {
    test(`with the processes it has started${what}`, async () => {
      const more = `console.log(${started}.pid); process.on('SIGUSR2', () => process.exit(0))`
      await using plugin = await start(answering(more))
      // Timers of this process fire in order, so a scan has seen the child and remembers it.
      await sleep(500)
      process.kill(plugin.pid, 'SIGUSR2')
      const { lines } = await plugin.exited
      const child = Number(lines.at(-1))
      expect(child).toBeGreaterThan(1)
      await expect.poll(() => isRunning(child)).toBe(false)
    })
  }

  test('a scratch folder over its limit; no file can be larger than the limit', async () => {
    const more = `
      const { appendFileSync } = await import('node:fs')
      const { join } = await import('node:path')
      const part = Buffer.alloc(1024 * 1024, 1)
      const fill = (name, parts) => { for (let at = 0; at < parts; at++) appendFileSync(join(process.env.TMPDIR, name), part) }
      try { fill('large', 80) } catch ({ code }) { console.log(code) }
      fill('small', 8)`
    // Outside of the folder that the other plugins of this file share.
    const scratch = mkdtempSync(join(tmpdir(), 'pergola-plugin-scratch-'))
    onTestFinished(() => rmSync(scratch, { recursive: true }))
    await using plugin = await startPluginProcess({ ...options(answering(more)), directory: scratch })
    const { how, lines } = await plugin.exited
    expect(how).toBe('had more than 64 MiB in its scratch folder (plugins.scratchLimit)')
    expect(lines).toContain('EFBIG')
  })
})

test('a plugin above the usual limit, under a raised one, gets one warning with both figures', async () => {
  const lines: string[] = []
  const given = options(answering('globalThis.held = Buffer.alloc(80 * 1024 * 1024, 1)'))
  const limits = { ...given.limits, usualMemoryBytes: 64 * 1024 * 1024 }
  await using plugin = await startPluginProcess({ ...given, limits, onLine: (line) => void lines.push(line) })
  const told = () => lines.filter((line) => line.startsWith('it uses '))
  const words =
    /^it uses \d+ MiB of memory; a host ends it when it uses more than 64 MiB, unless definePlugin has needs: \{ memory \}$/
  await expect.poll(told).toEqual([expect.stringMatching(words)])
  expect(isRunning(plugin.pid)).toBe(true)
})

describe('a plugin with a debugger', () => {
  const startInspected = async (more = '') => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const lines: string[] = []
    const onLine = (line: string) => void lines.push(line)
    const inspector = createInspector(port)
    const plugin = await startPluginProcess({ ...options(answering(more)), inspector, onLine })
    return { plugin, port, lines }
  }
  const attach = async (port: number) => {
    const targets = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/json/list`).catch(() => undefined)
      return (await answer?.json()) as readonly { readonly webSocketDebuggerUrl: string }[] | undefined
    }
    await expect.poll(targets).toHaveLength(1)
    const [target] = (await targets()) ?? []
    const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '')
    await once(socket, 'open')
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.enable' }))
    await once(socket, 'message')
    return socket
  }

  test('ends when it is let go, though a debugger stays', async () => {
    const { plugin, port } = await startInspected("process.on('SIGTERM', () => process.exit(0))")
    await attach(port)
    await plugin[Symbol.asyncDispose]()
    expect((await plugin.exited).how).toBe('has ended')
    expect(isRunning(plugin.pid)).toBe(false)
  })

  test('ends when it exits, though a debugger stays', async () => {
    const { plugin, port } = await startInspected('setTimeout(() => process.exit(7), 3000)')
    await attach(port)
    expect((await plugin.exited).how).toBe('has ended')
  })

  test('is not said to be silent while it stops', async () => {
    // Takes no connection any more, and needs longer than two health checks to end.
    const more = `process.on('SIGTERM', () => { server.close(); server.closeAllConnections(); setTimeout(() => process.exit(0), 4500) })`
    const { plugin, lines } = await startInspected(more)
    await sleep(4_000)
    await plugin[Symbol.asyncDispose]()
    expect(lines).not.toContainEqual(expect.stringContaining('it does not answer'))
  })

  test('may leave health checks unanswered, and is not deprioritized', async () => {
    const { plugin, lines } = await startInspected('setTimeout(() => { for (;;) {} }, 1000)')
    expect(getPriority(plugin.pid)).toBe(getPriority())
    await sleep(18_000)
    expect(isRunning(plugin.pid)).toBe(true)
    await expect.poll(() => lines).toContainEqual(expect.stringMatching(/^it does not answer: .* endless loop/))
    await plugin[Symbol.asyncDispose]()
  })
})

test('a spinning plugin is killed with its host', async () => {
  const host = join(directory, 'host.mjs')
  // Spins after a signal, because a plugin that spins at once would never start.
  const given = options(answering("process.on('SIGUSR2', () => { for (;;) {} })"))
  writeFileSync(
    host,
    `import { startPluginProcess } from ${JSON.stringify(join(import.meta.dirname, 'plugin-process.ts'))}
     const plugin = await startPluginProcess({ ...${JSON.stringify(given)}, onLine: () => {} })
     console.log(plugin.pid)`,
  )
  const child = spawn(process.execPath, ['--conditions=@pergola/source', host], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  const pid = Number(said.toString())
  process.kill(pid, 'SIGUSR2')
  expect(isRunning(pid)).toBe(true)
  child.kill('SIGKILL')
  await expect.poll(() => isRunning(pid), { timeout: 60_000 }).toBe(false)
})
