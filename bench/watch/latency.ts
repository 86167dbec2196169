import { Client } from 'pg'
import { cpuSecondsOf, databaseCpuSeconds } from '../measure/cpu.ts'
import { median, quantile } from '../measure/statistics.ts'
import type { Part } from '../measure/part.ts'
import { cities, nameOf, ofCity, startHost, token, transport } from './host.ts'
import { startReaders, type Readers } from './reader-process.ts'
import { writeAtRate, type Written } from './writer.ts'

const perSecond = 1_000
const watchers = 1_000
const bars = transport === 'nats' ? { p50: 60, p99: 150, cost: 1.1 } : { p50: 25, p99: 100, cost: 1.1 }

/**
 * Time from the commit of a write to the frame at the client, on two replicas, with a thousand watchers of which one in a hundred
 * gets the event; and the cost of the watchers for the writes, in rounds that alternate with rounds without watchers.
 */
export const latency: Part = async ({ quick }) => {
  const rounds = quick ? 2 : 6
  const seconds = quick ? 5 : 10
  await using host = await startHost({ replicas: 2 })
  const { addresses } = host
  const cpu = () => cpuSecondsOf(...host.replicas.map(({ pid }) => pid)) + databaseCpuSeconds()
  const measure = async () => {
    const before = cpu()
    const written = await writeAtRate({ addresses, perSecond, seconds })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    return { ...written, cpuMicroseconds: ((cpu() - before) * 1e6) / written.count }
  }
  // Warm-up until the code is compiled and the caches are filled.
  await writeAtRate({ addresses, perSecond: 4_000, seconds: 5 })
  const alone: Round[] = []
  const watched: Round[] = []
  const latencies: number[] = []
  let expected = 0
  let came = 0
  for (let round = 0; round < rounds; round++) {
    alone.push(await measure())
    using readers = await openReaders(addresses)
    await readers.report()
    const figures = await measure()
    watched.push(figures)
    const report = await readers.report()
    const committed = await commitTimes(host.databaseUrl)
    for (const [number, at] of report.arrivals) latencies.push(at - (committed.get(nameOf(number)) ?? Number.NaN))
    expected += (figures.count * watchers) / cities
    came += report.frames
  }
  const sorted = latencies.toSorted((a, b) => a - b)
  const [p50, p99] = [quantile(sorted, 0.5), quantile(sorted, 0.99)]
  const of = (rows: readonly Round[], key: keyof Round) => median(rows.map((row) => row[key]))
  const cpuRatio = of(watched, 'cpuMicroseconds') / of(alone, 'cpuMicroseconds')
  const p99Ratio = of(watched, 'p99') / of(alone, 'p99')
  console.log(
    `\n${watchers} watchers on two replicas, ${perSecond} creates/s offered, each wanted by ${watchers / cities}`,
  )
  console.log(`                      creates/s   p50 ms   p99 ms   µs CPU each (replicas and database)`)
  for (const [name, rows] of [['without watchers', alone] as const, ['with watchers', watched] as const]) {
    const figures = [of(rows, 'perSecond').toFixed(0).padStart(9), of(rows, 'p50').toFixed(1).padStart(8)]
    console.log(
      `  ${name.padEnd(18)}${figures.join('')}${of(rows, 'p99').toFixed(1).padStart(9)}${of(rows, 'cpuMicroseconds').toFixed(0).padStart(14)}`,
    )
  }
  console.log(
    `  commit to frame      p50 ${p50.toFixed(1)} ms (bar ${bars.p50}), p99 ${p99.toFixed(1)} ms (bar ${bars.p99})`,
  )
  console.log(`  frames               ${came} of ${expected}`)
  console.log(
    `  cost of watchers     CPU ${cpuRatio.toFixed(2)}x, write p99 ${p99Ratio.toFixed(2)}x (bar ${bars.cost})`,
  )
  const short = [
    ...(p50 > bars.p50 ? [`p50 to the frame ${p50.toFixed(1)} ms`] : []),
    ...(p99 > bars.p99 ? [`p99 to the frame ${p99.toFixed(1)} ms`] : []),
    ...(came !== expected ? [`${came} of ${expected} frames`] : []),
    ...(cpuRatio > bars.cost ? [`CPU of writes ${cpuRatio.toFixed(2)}x with watchers`] : []),
    ...(p99Ratio > bars.cost ? [`p99 of writes ${p99Ratio.toFixed(2)}x with watchers`] : []),
  ]
  return {
    figure: `commit to frame p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    short,
    measured: { writeMicroseconds: of(alone, 'cpuMicroseconds') },
  }
}

/** Commit time of each write, as the database records it before it waits for the disk. */
async function commitTimes(url: string): Promise<ReadonlyMap<string, number>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string; at: number }>(
      'SELECT name, (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8 AS at FROM changes',
    )
    return new Map(rows.map(({ name, at }) => [name, at]))
  } finally {
    await client.end()
  }
}

type Round = Written & { readonly cpuMicroseconds: number }

async function openReaders(addresses: readonly string[]): Promise<Readers> {
  const readers = startReaders()
  const count = watchers / addresses.length
  for (const url of addresses) await readers.open({ url, token, count, path: ofCity, cycle: cities })
  return readers
}
