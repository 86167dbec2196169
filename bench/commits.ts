import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { startPergola } from '../tests/end-to-end/pergola-process.ts'
import { seedAdministrator } from '../tests/end-to-end/seed-administrator.ts'
import { apiOf, hostilePackage } from '../tests/faults/plugins/hostile-package.ts'
import { installPackage } from '../tests/faults/plugins/install-package.ts'
import { openConnections } from './http/connections.ts'
import { operationsOn } from './http/operations.ts'
import { modelOf, peoplePath, people, personOf } from './http/people.ts'
import { head, post, register, sending, token, type Operation } from './http/requests.ts'
import { compete } from './measure/compete.ts'
import { parts } from './measure/cpu.ts'
import { median, spread } from './measure/statistics.ts'

/**
 * CPU per request of this working tree compared with another one: `--before=<folder>`, such as a git worktree with its packages
 * installed. Both are started several times, because a process keeps what it was compiled to; a ratio is that of one start.
 * Counts only the host's process; `--all` counts the database, too. The bar is 1.10. `--callers=1` instead of 8. With `--tracing=<share>`, this one traces that share of the requests.
 */
const bar = 1.1
const quick = process.argv.includes('--quick')
const starts = quick ? 2 : 5
const rounds = quick ? 5 : 9
const objects = 2_000
/** A plugin that answers at once, so that the host's part is seen. */
const echoing = hostilePackage({
  name: 'echoing',
  apis: { echo: '(request, response) => response.end(\'{"is":"there"}\')' },
})
const echo: Operation = { name: 'custom API', status: 200, request: () => head('GET', apiOf('echoing', 'echo')) }

const [before, share, only, given = '8'] = ['before', 'tracing', 'only', 'callers'].map((option) =>
  process.argv.find((word) => word.startsWith(`--${option}=`))?.slice(option.length + 3),
)
if (before === undefined || !existsSync(join(before, 'packages/cli/src/main.ts'))) {
  console.error('npm run bench -- commits --before=<folder of another checkout, with its packages installed>')
  process.exit(2)
}

const callers = Number(given)

interface Contestant {
  readonly name: string
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  readonly operations: readonly Operation[]
}

await using collector = createServer((request, response) => request.resume().once('end', () => response.end('{}')))
await once(collector.listen(0, '127.0.0.1'), 'listening')
const { port } = collector.address() as AddressInfo
const tracing: Record<string, string> =
  share === undefined
    ? {}
    : { PERGOLA_TRACING_URL: `http://127.0.0.1:${port}/v1/traces`, PERGOLA_TRACING_SAMPLING: share }

await using server = await startPostgres('18', { durable: true })
await using stack = new AsyncDisposableStack()
const contestants = [
  await prepare('after', resolve(import.meta.dirname, '..'), tracing),
  await prepare('before', resolve(before), {}),
]
const names = [...operationsOn(0), echo].map(({ name }) => name)
const figures = new Map(
  names.map((name) => [name, { ratios: [] as number[], after: [] as number[], before: [] as number[] }]),
)
for (let start = 0; start < starts; start++) {
  await using running = new AsyncDisposableStack()
  const hosts = await Promise.all(contestants.map((contestant) => startHost(running, contestant)))
  for (const [name, measured] of figures) {
    if (only !== undefined && !only.split(',').includes(name)) continue
    const [after, other] = await compete(
      hosts.map((host) => ({ ...host, operation: host.operation(name) })),
      { callers, count: 1_000, rounds, counted: process.argv.includes('--all') ? parts : ['host'] },
    )
    measured.ratios.push(after?.ratio ?? Number.NaN)
    measured.after.push(after?.total ?? Number.NaN)
    measured.before.push(other?.total ?? Number.NaN)
  }
}

const short: string[] = []
console.log(
  `${'operation'.padEnd(24)}${['ratio', 'of starts', 'before µs', 'after µs'].map((one) => one.padStart(12)).join('')}`,
)
for (const [name, { ratios, after, before: other }] of figures) {
  if (ratios.length === 0) continue
  if (median(ratios) > bar) short.push(name)
  const cells = [median(ratios).toFixed(2), spread(ratios), median(other).toFixed(0), median(after).toFixed(0)]
  console.log(name.padEnd(24) + cells.map((cell) => cell.padStart(12)).join(''))
}
console.log(
  short.length > 0 ? `above ${bar}: ${short.join(', ')}` : `no operation takes more than ${bar} times the CPU`,
)
process.exitCode = short.length > 0 ? 1 : 0

/** A database with people and the plugin. */
async function prepare(name: string, folder: string, more: Readonly<Record<string, string>>): Promise<Contestant> {
  const database = stack.use(await createDatabase(server.url))
  await seedAdministrator(database.url, token)
  const env = { PERGOLA_DATABASE_URL: database.url, PERGOLA_LOG_LEVEL: 'warn', ...more }
  const command = join(folder, 'packages/cli/src/main.ts')
  await using host = startPergola({ env, command })
  const url = await host.url()
  await register(url, modelOf(people, 'Person'))
  for (let from = 0; from < objects; from += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, at) => post(url, peoplePath, personOf(from + at))))
  }
  const installed = await installPackage({ url, token }, echoing)
  if (installed.status !== 201) throw new Error(`the plugin is refused: ${await installed.text()}`)
  return { name, command, env, operations: [...operationsOn(objects), echo] }
}

async function startHost(running: AsyncDisposableStack, { name, command, env, operations }: Contestant) {
  const host = running.use(startPergola({ env, command }))
  const url = await host.url()
  const headers = { authorization: `Bearer ${token}` }
  while ((await fetch(url + apiOf('echoing', 'echo'), { headers })).status !== 200) await sleep(100)
  const connections = running.use(await openConnections(url, callers))
  return {
    name,
    processes: { host: [host.pid] },
    operation: (wanted: string) => {
      const operation = operations.find((one) => one.name === wanted)
      if (!operation) throw new Error(`there is no operation "${wanted}"`)
      return sending(connections, operation)
    },
  }
}
