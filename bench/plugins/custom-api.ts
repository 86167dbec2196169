import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { apiOf, hostilePackage } from '../../tests/faults/plugins/hostile-package.ts'
import { startLoneHost } from '../../tests/faults/plugins/lone-host.ts'
import { startBareServer } from '../http/bare.ts'
import { openConnections } from '../http/connections.ts'
import { sending } from '../http/requests.ts'
import { compete } from '../measure/compete.ts'
import type { Part } from '../measure/part.ts'
import { missedGoals, printRow, type ResultRow } from '../measure/result.ts'
import { installStarted } from './sample.ts'

const goal = 1.5
/** Default folder of plugin sockets. */
const sockets = '/tmp'

/** A request that the host forwards to a plugin, beside a minimal proxy in front of the same plugin. */
export const customApi: Part = async ({ quick }) => {
  await using host = await startLoneHost('SQLite')
  const name = 'proxied'
  const echo = '(request, response) => response.end(\'{"is":"there"}\')'
  await installStarted(host, name, hostilePackage({ name, apis: { echo } }))
  await using bare = await startBareServer(join(import.meta.dirname, 'processes/bare-proxy.ts'), socketOf(name))
  const request = () =>
    Buffer.from(`GET ${apiOf(name, 'echo')} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${host.token}\r\n\r\n`)
  const rows: ResultRow[] = []
  for (const callers of [1, 32]) {
    using toHost = await openConnections(host.url, callers)
    using toBare = await openConnections(bare.url, callers)
    const of = (pid: number) => ({ host: [pid] })
    const figures = await compete(
      [
        { name: 'Pergola', processes: of(host.pid), operation: sending(toHost, { request, status: 200 }) },
        { name: 'bare undici proxy', processes: of(bare.pid), operation: sending(toBare, { request, status: 200 }) },
      ],
      { callers, count: 6_000, rounds: quick ? 5 : 15 },
    )
    const row = { operation: 'custom API', callers, figures, goal }
    printRow(row)
    rows.push(row)
  }
  return {
    figure: `the host takes ${rows.map(({ callers, figures: [ours] }) => `${ours?.ratio.toFixed(2)} times the CPU of a bare proxy at ${callers}`).join(', ')}`,
    short: missedGoals(rows),
    result: {
      section: 'custom-api',
      title: 'A custom API, beside a bare proxy',
      text: "A request that the host checks and forwards to a plugin's process, beside `node:http` and `undici` in front of the same process. Only the host and the proxy are counted.",
      limits:
        'The host finds the route, authenticates, authorizes, checks the headers of both sides and writes a line of its log; the bare proxy copies.',
      rows,
    },
  }
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
