import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { apiOf, hostilePackage } from '../../tests/faults/plugins/hostile-package.ts'
import { startLoneHost } from '../../tests/faults/plugins/lone-host.ts'
import { openConnections, type Connections } from '../http/connections.ts'
import { median, spread } from '../measure.ts'
import type { Part } from '../part.ts'
import { cpuSecondsOf } from './process-figures.ts'
import { installStarted } from './sample.ts'

const bar = 1.5
const callers = 32
/** Warm-up requests, until the host's code is compiled. */
const warmUp = 60_000
/** Default folder of plugin sockets. */
const sockets = '/tmp'

/** CPU of the host for a forwarded request, compared with a minimal proxy. */
export const customApi: Part = async ({ quick }) => {
  // Short rounds, so that other load on the machine affects both equally.
  const [rounds, seconds] = quick ? [20, 0.4] : [80, 0.4]
  await using host = await startLoneHost('SQLite')
  const name = 'proxied'
  const echo = '(request, response) => response.end(\'{"is":"there"}\')'
  await installStarted(host, name, hostilePackage({ name, apis: { echo } }))
  await using bare = await startBareProxy(socketOf(name))
  const path = apiOf(name, 'echo')
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${host.token}\r\n\r\n`)
  using toHost = await openConnections(host.url, callers)
  using toBare = await openConnections(bare.url, callers)
  const figures: { readonly host: Round; readonly bare: Round }[] = []
  for (let sent = 0; figures.length < rounds;) {
    const one = await measure({ connections: toHost, request, pid: host.pid, seconds })
    const other = await measure({ connections: toBare, request, pid: bare.pid, seconds })
    sent += one.count
    if (sent > warmUp) figures.push({ host: one, bare: other })
  }
  const ratios = figures.map((figure) => figure.host.cpu / figure.bare.cpu)
  const of = (pick: (figure: (typeof figures)[number]) => number) => median(figures.map(pick)).toFixed(0)
  console.log(`\n${'custom API'.padEnd(16)}${['µs CPU', 'requests/s'].map((title) => title.padStart(12)).join('')}`)
  console.log(`${'host'.padEnd(16)}${of((f) => f.host.cpu).padStart(12)}${of((f) => f.host.perSecond).padStart(12)}`)
  console.log(
    `${'bare proxy'.padEnd(16)}${of((f) => f.bare.cpu).padStart(12)}${of((f) => f.bare.perSecond).padStart(12)}`,
  )
  const ratio = median(ratios)
  const figure = `the host takes ${ratio.toFixed(2)} times the CPU of a bare proxy (${spread(ratios)}, bar ${bar})`
  console.log(figure)
  return { figure, short: ratio > bar ? [figure] : [] }
}

interface Round {
  /** Microseconds per request. */
  readonly cpu: number
  readonly perSecond: number
  readonly count: number
}

interface Measured {
  readonly connections: Connections
  readonly request: Buffer
  readonly pid: number
  readonly seconds: number
}

async function measure({ connections, request, pid, seconds }: Measured): Promise<Round> {
  const before = cpuSecondsOf(pid)
  const began = performance.now()
  let count = 0
  const caller = async () => {
    while (performance.now() - began < seconds * 1000) {
      const status = await connections.send(request)
      if (status !== 200) throw new Error(`a request was answered ${status}`)
      count++
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const elapsed = (performance.now() - began) / 1000
  return { cpu: ((cpuSecondsOf(pid) - before) * 1e6) / count, perSecond: count / elapsed, count }
}

function socketOf(plugin: string): string {
  const found = readdirSync(sockets)
    .filter((folder) => folder.startsWith(`pergola-${plugin}-`))
    .map((folder) => join(sockets, folder, 'plugin.sock'))
    .filter((file) => existsSync(file))
  const [socket] = found
  if (socket === undefined || found.length > 1) throw new Error(`${found.length} sockets of ${plugin} in ${sockets}`)
  return socket
}

async function startBareProxy(socket: string) {
  const file = join(import.meta.dirname, 'processes/bare-proxy.ts')
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', process.execPath, file, socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = (await once(child.stdout, 'data')) as [Buffer]
  const [, url] = /api (\S+)/.exec(String(printed)) ?? []
  if (url === undefined) throw new Error(`the bare proxy said ${String(printed)}`)
  return {
    url,
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}
