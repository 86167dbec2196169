import { setTimeout as sleep } from 'node:timers/promises'
import { openConnections } from '../http/connections.ts'
import { sending } from '../http/requests.ts'
import type { Part } from '../measure/part.ts'
import { median } from '../measure/statistics.ts'
import { notMeasured, type Compared } from './compared.ts'
import { operationsOf } from './dialect.ts'
import { residentMegabytes } from './process.ts'
import type { Server, System } from './system.ts'

const callers = 32
const idleMs = 5_000

/** Start, memory and packages, of one product at a time. */
export function footprint(compared: Compared): Part {
  return async ({ quick }) => {
    const facts = []
    for (const system of compared.systems) {
      const { startSeconds, idle, loaded } = await footprintOf(system, { rows: compared.rows, quick })
      console.log(
        `${system.name}: starts in ${startSeconds.toFixed(2)} s, ${idle.toFixed(0)} MiB idle, ${loaded.toFixed(0)} MiB after a load, ${system.packages} packages`,
      )
      facts.push(
        { what: `${system.name}: from the start of the process to the first answer`, value: startSeconds, unit: 's' },
        { what: `${system.name}: memory when idle`, value: idle, unit: 'MiB' },
        { what: `${system.name}: memory after a load`, value: loaded, unit: 'MiB' },
        { what: `${system.name}: npm packages`, value: system.packages, unit: 'packages' },
      )
    }
    return {
      figure: `start, memory and packages of ${compared.systems.length} products`,
      short: [],
      result: {
        section: 'peers',
        title: 'Start and memory, beside other products',
        text: `One process each. The start is the median of starts with ${compared.rows.toLocaleString('en')} rows and a warm compile cache; the load is as many gets, lists and creates. Payload is built before. ${notMeasured(compared)}`,
        facts,
      },
    }
  }
}

interface Footprint {
  readonly startSeconds: number
  /** In MiB. */
  readonly idle: number
  readonly loaded: number
}

interface FootprintOptions {
  readonly rows: number
  readonly quick: boolean
}

async function footprintOf(system: System, { rows, quick }: FootprintOptions): Promise<Footprint> {
  const starts: number[] = []
  // The first start fills the compile cache.
  for (let at = 0; at < (quick ? 2 : 6); at++) {
    await using server = await system.start()
    if (at > 0) starts.push(server.startSeconds)
  }
  await using server = await system.start()
  await sleep(idleMs)
  const idle = residentMegabytes(server.pids())
  await loadWith(system, server, { rows, count: quick ? 300 : 1_000 })
  return { startSeconds: median(starts), idle, loaded: residentMegabytes(server.pids()) }
}

interface LoadOptions {
  readonly rows: number
  /** Requests of each operation. */
  readonly count: number
}

async function loadWith({ dialect }: System, { url }: Server, { rows, count }: LoadOptions): Promise<void> {
  using connections = await openConnections(url, callers)
  for (const operation of operationsOf(dialect, { rows, run: 'f' })) {
    const send = sending(connections, operation)
    let next = 0
    const caller = async () => {
      while (next < count) await send(next++)
    }
    await Promise.all(Array.from({ length: callers }, caller))
  }
}
