import { openConnections } from '../http/connections.ts'
import { sendFor, type Round } from '../http/requests.ts'
import { median, spread } from '../measure.ts'
import type { Part } from '../part.ts'
import { operationsOn, startPeople } from './people-host.ts'
import { pgbench, type EngineRound } from './pgbench.ts'
import { pgbenchScripts } from './scripts.ts'

const objects = 10_000

/** Throughput over HTTP as a share of pgbench with the same statements. */
export const share: Part = async ({ quick }) => {
  const rounds = quick ? 2 : 8
  const seconds = quick ? 2 : 3
  await using people = await startPeople(objects)
  const scripts = pgbenchScripts(people.model, objects)
  const { host } = people
  const url = await host.url()
  const operations = operationsOn(objects)
  const titles = ['callers', 'share', 'spread', 'ours/s', 'pgbench/s', 'ours p99', 'ours µs CPU', 'pgbench µs']
  console.log(`${'of bare PostgreSQL'.padEnd(24)}${titles.map((title) => title.padStart(13)).join('')}`)
  const shares: string[] = []
  for (const callers of [1, 32]) {
    using connections = await openConnections(url, callers)
    for (const { name, status, request } of operations) {
      const ours: Round[] = []
      const bare: EngineRound[] = []
      for (let round = 0; round <= rounds; round++) {
        const sent = await sendFor(
          { connections, request, status, pid: host.pid, callers, seconds },
          round * 1_000_000 + callers,
        )
        const run = await pgbench(people.url, scripts[name] ?? '', { callers, seconds })
        // The first one warms up.
        if (round === 0) continue
        ours.push(sent)
        bare.push(run)
      }
      const ratios = ours.map(({ perSecond }, at) => perSecond / (bare[at]?.perSecond ?? Number.NaN))
      const ratio = median(ratios)
      const cells = [
        String(callers),
        ratio.toFixed(2),
        spread(ratios),
        median(ours.map(({ perSecond }) => perSecond)).toFixed(0),
        median(bare.map(({ perSecond }) => perSecond)).toFixed(0),
        median(ours.map(({ p99 }) => p99)).toFixed(1),
        median(ours.map(({ cpu }) => cpu)).toFixed(0),
        median(bare.map(({ cpu }) => cpu)).toFixed(0),
      ]
      console.log(name.padEnd(24) + cells.map((cell) => cell.padStart(13)).join(''))
      shares.push(`${name} ${ratio.toFixed(2)} at ${callers}`)
    }
  }
  return { figure: `share of bare PostgreSQL: ${shares.join(', ')}`, short: [] }
}
