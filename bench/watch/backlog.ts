import { setTimeout as sleep } from 'node:timers/promises'
import { openConnections } from '../http/connections.ts'
import type { Part } from '../measure/part.ts'
import { quantile } from '../measure/statistics.ts'
import { people, startHost, token } from './host.ts'
import { startReaders } from './reader-process.ts'
import { createRequest } from './writer.ts'

const callers = 128
const sampleMs = 250
const mostMs = 60_000

/** Creates as fast as they go, and how many changes a watcher is behind them; afterwards it must have all. */
export const backlog: Part = async ({ quick }) => {
  const writes = quick ? 30_000 : 300_000
  await using host = await startHost({ replicas: 1 })
  const [address = ''] = host.addresses
  using readers = startReaders()
  await readers.open({ url: address, token, count: 1, path: people })
  using connections = await openConnections(address, callers)
  let sent = 0
  let written = 0
  let received = 0
  const caller = async () => {
    while (sent++ < writes) {
      const status = await connections.send(createRequest())
      if (status !== 201) throw new Error(`a create returned status ${status}`)
      written++
    }
  }
  const lag = async () => {
    const before = written
    received += (await readers.report()).frames
    return Math.max(0, before - received)
  }
  const began = performance.now()
  const lags: number[] = []
  const writing = Promise.all(Array.from({ length: callers }, caller))
  while (written < writes) {
    await Promise.race([sleep(sampleMs), writing])
    lags.push(await lag())
  }
  const endedAt = performance.now()
  const perSecond = (writes * 1_000) / (endedAt - began)
  while (received < writes && performance.now() - endedAt < mostMs) {
    await sleep(10)
    await lag()
  }
  const caughtUpMs = performance.now() - endedAt
  const missing = writes - received
  const sorted = lags.toSorted((a, b) => a - b)
  const [usual, most] = [quantile(sorted, 0.5), sorted.at(-1) ?? 0]
  const figure = `${writes} writes, ${perSecond.toFixed(0)} a second: the watcher was ${usual} changes behind, at most ${most}, and had all ${caughtUpMs.toFixed(0)} ms after the last`
  console.log(figure)
  return {
    figure,
    short: missing === 0 ? [] : [`${missing} changes are missing a minute after the last write`],
    result: {
      section: 'commit-to-frame',
      title: 'Writes as fast as they go',
      text: `${writes.toLocaleString('en')} creates of ${callers} callers over one replica, and one watcher of all of them.`,
      facts: [
        { what: 'Creates a second', value: perSecond, unit: '1/s' },
        { what: 'Changes that the watcher is behind (median of samples)', value: usual, unit: 'changes' },
        { what: 'The same, at most', value: most, unit: 'changes' },
        { what: 'From the last answer until the watcher has all changes', value: caughtUpMs, unit: 'ms' },
      ],
    },
  }
}
