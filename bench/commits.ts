import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { startPergola } from '../tests/end-to-end/pergola-process.ts'
import { seedAdministrator } from '../tests/end-to-end/seed-administrator.ts'
import { apiOf, hostilePackage } from '../tests/faults/plugins/hostile-package.ts'
import { installPackage } from '../tests/faults/plugins/install-package.ts'
import { openConnections, type Connections } from './http/connections.ts'
import { cities, group, modelOf, personOf } from './http/people.ts'
import { head, post, register, token, withBody } from './http/requests.ts'
import { median, spread } from './measure.ts'

/**
 * CPU per request of this working tree compared with another one, in interleaved rounds: `--before=<folder>`, such as a git
 * worktree with its packages installed. Counts only the host's process. The bar is 1.10. With `--tracing=<share>`, this one
 * traces that share of the requests.
 */
const bar = 1.1
const rounds = process.argv.includes('--quick') ? 5 : 15
const requestsEach = 2_000
/** Rounds before the first that counts: until the engine has compiled what a request runs through. */
const warmUps = 5
const callers = 8
const objects = 2_000
const plural = 'people'
/** A plugin that answers at once, so that the host's part is seen. */
const echoing = hostilePackage({
  name: 'echoing',
  apis: { echo: '(request, response) => response.end(\'{"is":"there"}\')' },
})

const before = process.argv.find((word) => word.startsWith('--before='))?.slice('--before='.length)
if (before === undefined || !existsSync(join(before, 'packages/cli/src/main.ts'))) {
  console.error('npm run bench -- commits --before=<folder of another checkout, with its packages installed>')
  process.exit(2)
}

interface Contestant {
  readonly pid: number
  readonly connections: Connections
  created: number
  changes: number
}

const share = process.argv.find((word) => word.startsWith('--tracing='))?.slice('--tracing='.length)
await using collector = createServer((request, response) => request.resume().once('end', () => response.end('{}')))
await once(collector.listen(0, '127.0.0.1'), 'listening')
const { port } = collector.address() as AddressInfo
const tracing: Record<string, string> =
  share === undefined
    ? {}
    : { PERGOLA_TRACING_URL: `http://127.0.0.1:${port}/v1/traces`, PERGOLA_TRACING_SAMPLING: share }

await using server = await startPostgres('18', { durable: true })
await using stack = new AsyncDisposableStack()
const contestants = {
  before: await start(resolve(before)),
  after: await start(resolve(import.meta.dirname, '..'), tracing),
}

const base = `/apis/${group}/v1/${plural}`
const existing = (at: number) => `p-${(at * 7919) % objects}`
const operations: Readonly<
  Record<string, { readonly status: number; readonly request: (at: number, by: Contestant) => Buffer }>
> = {
  get: { status: 200, request: (at) => head('GET', `${base}/${existing(at)}`) },
  list: {
    status: 200,
    request: (at) =>
      head('GET', `${base}?size=20&sort=spec.age,desc&fieldSelector=spec.city=city-${(at * 31) % cities}`),
  },
  create: { status: 201, request: (_, by) => withBody('POST', base, personOf(by.created++)) },
  update: {
    status: 200,
    request: (at, by) => {
      const which = (at * 7919) % objects
      return withBody('PUT', `${base}/p-${which}`, personOf(which, {}, ++by.changes))
    },
  },
  'custom API': { status: 200, request: () => head('GET', apiOf('echoing', 'echo')) },
}

const short: string[] = []
console.log(
  `${'operation'.padEnd(12)}${['ratio', 'spread', 'before µs', 'after µs'].map((one) => one.padStart(12)).join('')}`,
)
const only = process.argv
  .find((word) => word.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',')
for (const name of Object.keys(operations).filter((one) => only?.includes(one) ?? true)) {
  const figures = { before: [] as number[], after: [] as number[] }
  for (let round = 0; round < warmUps + rounds; round++) {
    const order = round % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const)
    for (const which of order) {
      const micros = await run(name, contestants[which])
      if (round >= warmUps) figures[which].push(micros)
    }
  }
  const ratios = figures.after.map((after, at) => after / (figures.before[at] ?? Number.NaN))
  if (median(ratios) > bar) short.push(name)
  const cells = [
    median(ratios).toFixed(2),
    spread(ratios),
    median(figures.before).toFixed(0),
    median(figures.after).toFixed(0),
  ]
  console.log(name.padEnd(12) + cells.map((cell) => cell.padStart(12)).join(''))
}
console.log(
  short.length > 0 ? `above ${bar}: ${short.join(', ')}` : `no operation takes more than ${bar} times the CPU`,
)
process.exitCode = short.length > 0 ? 1 : 0

/** Microseconds of the host's CPU per request. */
async function run(name: string, contestant: Contestant): Promise<number> {
  const { pid, connections } = contestant
  const operation = operations[name]
  if (!operation) throw new Error(`there is no operation "${name}"`)
  let next = 0
  const began = cpuSeconds(pid)
  const caller = async () => {
    while (next < requestsEach) {
      const bytes = operation.request(next++, contestant)
      const answered = await connections.send(bytes)
      if (answered !== operation.status) throw new Error(`${name} was answered ${answered}`)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return ((cpuSeconds(pid) - began) * 1e6) / requestsEach
}

async function start(folder: string, more: Readonly<Record<string, string>> = {}): Promise<Contestant> {
  const database = stack.use(await createDatabase(server.url))
  await seedAdministrator(database.url, token)
  const env = { PERGOLA_DATABASE_URL: database.url, PERGOLA_LOG_LEVEL: 'warn', ...more }
  const host = stack.use(startPergola({ env, command: join(folder, 'packages/cli/src/main.ts') }))
  const url = await host.url()
  await register(url, modelOf(plural, 'Person'))
  for (let from = 0; from < objects; from += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, at) => post(url, `/apis/${group}/v1/${plural}`, personOf(from + at))),
    )
  }
  const installed = await installPackage({ url, token }, echoing)
  if (installed.status !== 201) throw new Error(`the plugin is refused: ${await installed.text()}`)
  const headers = { authorization: `Bearer ${token}` }
  while ((await fetch(url + apiOf('echoing', 'echo'), { headers })).status !== 200) await sleep(100)
  const connections = stack.use(await openConnections(url, callers))
  return { pid: host.pid, connections, created: objects, changes: 0 }
}

function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
