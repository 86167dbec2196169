import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiOf, hostilePackage } from '../hostile-package.ts'
import type { LoneHost } from '../lone-host.ts'
import { expectThat, installed, type Harm, type Scene } from './harm.ts'

const callers = 20
const heldMs = 3_000
/** Sockets, buffers and garbage; without a limit it would be gigabytes. */
const mostGrownMegabytes = 96
const endless = 10
const readBytes = 1024 * 1024

/** Counts open responses, so that the plugin can report whether it noticed the disconnects. */
const counting = 'let open = 0; const count = (response) => { open++; response.on("close", () => open--) }'
const open = '(request, response) => response.end(String(open))'

/** Bad responses of a plugin affect only their callers. */
export const answers: readonly Harm[] = [
  {
    what: 'no answer',
    plugin: 'bad-silence',
    run: async (scene) => {
      const { host, quick, name } = scene
      const harm = '(request, response) => count(response)'
      await installed(host, name, hostilePackage({ name, first: counting, apis: { harm, open } }))
      if (quick) return leaving(scene)
      const statuses = await Promise.all(Array.from({ length: callers }, () => statusOf(host, apiOf(name, 'harm'))))
      expectThat(
        statuses.every((status) => status === 504),
        `answered ${statuses.join(' ')}`,
      )
      return `${callers} callers were answered 504, ${await phaseOf(scene)}`
    },
  },
  {
    what: 'garbage',
    plugin: 'bad-garbage',
    run: async (scene) => {
      const { host, name } = scene
      const apis = {
        noise: "(request) => request.socket.end('220 ready for mail\\r\\n\\0\\0\\0')",
        header: "(request) => request.socket.end('HTTP/1.1 200 OK\\r\\nContent-Length: -5\\r\\nA\\0b: c\\r\\n\\r\\n')",
        nothing: '(request) => request.socket.destroy()',
      }
      await installed(host, name, hostilePackage({ name, apis }))
      for (const way of Object.keys(apis)) {
        const status = await statusOf(host, apiOf(name, way))
        expectThat(status === 502, `${way} was answered ${status}`)
      }
      await sleep(heldMs)
      return `callers were answered 502, ${await phaseOf(scene)}`
    },
  },
  {
    what: 'a byte a second',
    plugin: 'bad-drip',
    run: async (scene) => {
      const { host, name } = scene
      const harm = `(request, response) => {
        count(response)
        const timer = setInterval(() => response.write('x'), 1_000)
        response.on('close', () => clearInterval(timer))
        response.write('x')
      }`
      await installed(host, name, hostilePackage({ name, first: counting, apis: { harm, open } }))
      return leaving(scene)
    },
  },
  {
    what: 'an answer without end',
    plugin: 'bad-flood',
    run: async (scene) => {
      const { host, name } = scene
      const harm = `(request, response) => {
        count(response)
        const chunk = Buffer.alloc(65_536, 120)
        const more = () => { while (!response.destroyed && response.write(chunk)); }
        response.on('drain', more)
        more()
      }`
      await installed(host, name, hostilePackage({ name, first: counting, apis: { harm, open } }))
      const before = host.residentMegabytes()
      const readers = Array.from({ length: endless }, () => call(host, apiOf(name, 'harm'), readBytes))
      let most = 0
      for (const until = performance.now() + heldMs; performance.now() < until; await sleep(100)) {
        most = Math.max(most, host.residentMegabytes())
      }
      for (const reader of readers) reader.leave()
      const grown = most - before
      expectThat(grown < mostGrownMegabytes, `the host has grown by ${grown.toFixed(0)} MB`)
      await untilClosed(scene)
      return `${endless} callers read a bit and waited, the host grew by ${grown.toFixed(0)} MB, ${await phaseOf(scene)}`
    },
  },
]

/** Callers wait for a while and disconnect. */
async function leaving(scene: Scene): Promise<string> {
  const { host, name } = scene
  const calls = Array.from({ length: callers }, () => call(host, apiOf(name, 'harm')))
  await sleep(heldMs)
  const { text } = await host.ask('GET', apiOf(name, 'open'))
  expectThat(text === String(callers), `${text} of ${callers} calls are open`)
  for (const { leave } of calls) leave()
  await untilClosed(scene)
  return `${callers} callers went away after ${heldMs / 1000} s and it was told, ${await phaseOf(scene)}`
}

async function untilClosed({ host, name }: Scene): Promise<void> {
  const deadline = performance.now() + 5_000
  for (;;) {
    const { text } = await host.ask('GET', apiOf(name, 'open'))
    if (text === '0') return
    expectThat(performance.now() < deadline, `${text} calls are open though their callers have gone`)
    await sleep(50)
  }
}

async function phaseOf({ host, name }: Scene): Promise<string> {
  const { phase, message } = (await host.plugin(name))?.status ?? {}
  expectThat(phase === 'Started', `it is ${phase}: ${message}`)
  return 'Started'
}

async function statusOf({ url, token }: LoneHost, path: string): Promise<number> {
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
  await answer.body?.cancel()
  return answer.status
}

/** Reads a part of the response and then nothing until it disconnects. */
function call({ url, token }: LoneHost, path: string, bytes = Infinity): { readonly leave: () => void } {
  const sent = request(url + path, { agent: false, headers: { authorization: `Bearer ${token}` } })
  sent.on('error', () => {})
  sent.on('response', (response) => {
    let read = 0
    response.on('error', () => {})
    response.on('data', (chunk: Buffer) => {
      read += chunk.length
      if (read > bytes) response.pause()
    })
  })
  sent.end()
  return { leave: () => sent.destroy() }
}
