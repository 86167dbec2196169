import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { processesOf } from '../tests/faults/plugins/left-behind.ts'
import { loneHostEngines, startLoneHost, type LoneHost } from '../tests/faults/plugins/lone-host.ts'
import { createMemoryGroup } from '../tests/faults/plugins/memory-group.ts'
import { openConnections } from './http/connections.ts'
import { cities, group, modelOf, personOf } from './http/people.ts'
import { sending } from './http/requests.ts'
import { runRound, totalOf } from './measure/compete.ts'
import { proportionalMegabytes } from './plugins/process-figures.ts'
import { installStarted, samplePackage } from './plugins/sample.ts'
import { startReaders } from './watch/reader-process.ts'

/**
 * Capacity of one host with one core and 512 MiB, built by `npm run build`: `taskset -c 1 node --conditions=@pergola/source bench/sizing.ts`. The host runs on
 * core 0; this process and PostgreSQL stay on core 1.
 */
const memoryBytes = 512 * 1024 * 1024
const objects = 10_000
const requests = 4_000
const watchers = 1_000
const pluginNames = ['idle0', 'idle1', 'idle2']
const people = `/apis/${group}/v1/people`

for (const engine of loneHostEngines) await measure(engine)

async function measure(engine: (typeof loneHostEngines)[number]): Promise<void> {
  await using memory = createMemoryGroup(memoryBytes)
  if (!memory) throw new Error('nobody may make a control group here')
  const env = { PERGOLA_WATCH_MAX_PER_USER: '2000' }
  await using host = await startLoneHost(engine, { compiled: true, durable: true, group: memory.folder, env })
  execFileSync('taskset', ['-a', '-c', '-p', '0', String(host.pid)])
  const held = (what: string) => console.log(`${what.padEnd(34)}${host.residentMegabytes().toFixed(0).padStart(6)} MB`)
  console.log(`\n${engine}`)
  await sleep(10_000)
  held('idle host, RSS')
  await host.ask('POST', '/apis/plugin.platform.run/v1alpha1/models', modelOf('people', 'Person'))
  await measureRates(host)
  held('after the load, RSS')
  using readers = startReaders()
  const path = `${people}?fieldSelector=spec.city%3Dcity-{n}`
  await readers.open({ url: host.url, token: host.token, count: watchers, path, cycle: cities })
  await sleep(25_000)
  held(`${(await readers.report()).open} idle watchers, RSS`)
  for (const name of pluginNames) await installStarted(host, name, await samplePackage(name))
  await sleep(10_000)
  held('and 3 idle plugins, RSS of the host')
  const ofPlugins = pluginNames.flatMap((name) => processesOf(name)).map(proportionalMegabytes)
  console.log(`each plugin, PSS: ${ofPlugins.map((size) => size.toFixed(0)).join(', ')} MB`)
  console.log(`at most ${memory.peakMegabytes().toFixed(0)} MiB in the group, ${memory.kills()} kills`)
}

async function measureRates({ url, token, pid }: LoneHost): Promise<void> {
  let created = 0
  const head = (method: string, path: string, more = '') =>
    Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${more}\r\n`)
  const create = () => {
    const body = JSON.stringify(personOf(created++))
    const length = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
    return Buffer.concat([head('POST', people, length), Buffer.from(body)])
  }
  {
    using filling = await openConnections(url, 32)
    const operation = sending(filling, { request: create, status: 201 })
    await runRound({ processes: { host: [pid] }, operation }, { callers: 32, count: objects, from: 0 })
  }
  const known = created
  const operations = {
    get: { status: 200, request: (at: number) => head('GET', `${people}/p-${(at * 7919) % known}`) },
    'list 20': {
      status: 200,
      request: (at: number) =>
        head('GET', `${people}?size=20&sort=spec.age,desc&fieldSelector=spec.city=city-${at % cities}`),
    },
    create: { status: 201, request: create },
  }
  console.log(
    `${'rates'.padEnd(12)}${['callers', 'a second', 'p99 ms', 'CPU µs'].map((title) => title.padStart(12)).join('')}`,
  )
  for (const callers of [1, 32]) {
    using connections = await openConnections(url, callers)
    for (const [name, operation] of Object.entries(operations)) {
      const contestant = { processes: { host: [pid] }, operation: sending(connections, operation) }
      await runRound(contestant, { callers, count: 1_000, from: 0 })
      const round = await runRound(contestant, { callers, count: requests, from: 1_000 })
      const cells = [String(callers), round.perSecond.toFixed(0), round.p99.toFixed(1), totalOf(round).toFixed(0)]
      console.log(`${name.padEnd(12)}${cells.map((cell) => cell.padStart(12)).join('')}`)
    }
  }
}
