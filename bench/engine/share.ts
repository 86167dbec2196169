import { openConnections } from '../http/connections.ts'
import { operationsOn } from '../http/operations.ts'
import { startPeople } from '../http/people-host.ts'
import { sending } from '../http/requests.ts'
import { runRound, totalOf, type Round } from '../measure/compete.ts'
import { median, spread } from '../measure/statistics.ts'
import type { Part } from '../measure/part.ts'
import { pgbench, type EngineRound } from './pgbench.ts'
import { pgbenchScripts } from './scripts.ts'

const objects = 10_000

/** Throughput over HTTP as a share of pgbench with the same statements. */
export const share: Part = async ({ quick }) => {
  const rounds = quick ? 2 : 8
  const seconds = quick ? 2 : 3
  const count = quick ? 2_000 : 5_000
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
    for (const operation of operations) {
      const { name } = operation
      const contestant = { processes: { host: [host.pid] }, operation: sending(connections, operation) }
      const ours: Round[] = []
      const bare: EngineRound[] = []
      for (let round = 0; round <= rounds; round++) {
        const sent = await runRound(contestant, { callers, count, from: round * count })
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
        median(ours.map(totalOf)).toFixed(0),
        median(bare.map(({ cpu }) => cpu)).toFixed(0),
      ]
      console.log(name.padEnd(24) + cells.map((cell) => cell.padStart(13)).join(''))
      shares.push(`${name} ${ratio.toFixed(2)} at ${callers}`)
    }
  }
  return { figure: `share of bare PostgreSQL: ${shares.join(', ')}`, short: [] }
}
