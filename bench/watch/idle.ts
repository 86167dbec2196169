import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Part } from '../measure/part.ts'
import { ofCity, startHost, token } from './host.ts'
import { startReaders } from './reader-process.ts'

const bar = 12

/** Memory of idle watches, which only get bookmarks. */
export const idle: Part = async ({ quick }) => {
  const watchers = quick ? 5_000 : 19_000
  await using host = await startHost({ replicas: 1 })
  const [replica] = host.replicas
  if (!replica) throw new Error('there is no replica')
  const { address, pid } = replica
  {
    // Warm-up, so that one-time allocations are done.
    using first = startReaders()
    await first.open({ url: address, token, count: 200, path: ofCity, cycle: 100 })
  }
  await sleep(3_000)
  const before = residentKilobytes(pid)
  using readers = startReaders()
  await readers.open({ url: address, token, count: watchers, path: ofCity, cycle: 100 })
  // Two rounds of bookmarks, and time to collect their garbage.
  await sleep(25_000)
  const { open } = await readers.report()
  const each = (residentKilobytes(pid) - before) / watchers
  const figure = `${open} idle watchers of ${each.toFixed(1)} KB each (bar ${bar})`
  console.log(`\n${figure}`)
  return { figure, short: each > bar || open !== watchers ? [figure] : [], measured: { watcherKilobytes: each } }
}

function residentKilobytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
