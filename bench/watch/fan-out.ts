import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSecondsOf } from '../measure/cpu.ts'
import { median } from '../measure/statistics.ts'
import type { Part } from '../measure/part.ts'
import type { BareReport } from './bare-fan-out.ts'
import { cities, ofCity, startHost, token } from './host.ts'
import { ask, forkBench, heard, startReaders } from './reader-process.ts'
import { writeAtRate } from './writer.ts'

const watchers = 10_000
const perSecond = 500
const bar = 1.3

/**
 * Cost of delivering an event to a hundred of ten thousand watches, without the write, compared with a loop over
 * `ws` that sends as many frames of the same size in the same run.
 */
export const fanOut: Part = async ({ quick }) => {
  const rounds = quick ? 2 : 5
  const seconds = quick ? 4 : 8
  await using host = await startHost({ replicas: 1 })
  const [replica] = host.replicas
  if (!replica) throw new Error('there is no replica')
  const { address, pid } = replica
  const write = async () => {
    const before = cpuSecondsOf(pid)
    const { count } = await writeAtRate({ addresses: [address], perSecond, seconds })
    await sleep(500)
    return { count, cpu: cpuSecondsOf(pid) - before }
  }
  await write()
  using bare = forkBench('bare-fan-out.ts')
  const { port } = await heard<{ port: number }>(bare)
  const perDelivery: { ours: number; bare: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const alone = await write()
    let ours = 0
    let frameBytes = 0
    {
      using readers = startReaders()
      await readers.open({ url: address, token, count: watchers, path: ofCity, cycle: cities })
      await readers.report()
      const watched = await write()
      const { frames, bytes } = await readers.report()
      frameBytes = Math.round(bytes / frames)
      ours = ((watched.cpu - (alone.cpu / alone.count) * watched.count) * 1e6) / frames
    }
    using readers = startReaders()
    await readers.open({ url: `http://127.0.0.1:${port}`, token, count: watchers, path: '/?city={n}', cycle: cities })
    const { deliveries, cpuSeconds } = await ask<BareReport>(bare, { perSecond, seconds, groups: cities, frameBytes })
    perDelivery.push({ ours, bare: (cpuSeconds * 1e6) / deliveries })
    console.log(
      `  round ${round + 1}: ${frameBytes} bytes a frame, ours ${ours.toFixed(2)} µs, bare ${perDelivery.at(-1)?.bare.toFixed(2)} µs a delivery`,
    )
  }
  const ratio = median(perDelivery.map((row) => row.ours / row.bare))
  const figure = `a delivery costs ${ratio.toFixed(2)}x a bare ws loop (bar ${bar})`
  console.log(`${watchers} watchers, ${perSecond} creates/s, each wanted by ${watchers / cities}: ${figure}`)
  const measured = { deliveryMicroseconds: median(perDelivery.map((row) => row.ours)) }
  return { figure, short: ratio > bar ? [figure] : [], measured }
}
