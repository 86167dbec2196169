import { existsSync } from 'node:fs'
import { hostReserveBytes } from '../../../packages/server/src/plugins/run/memory-room.ts'
import type { Trial, TrialResult } from '../store/trial.ts'
import { startEvenLoad } from './even-load.ts'
import { installed } from './harms/harm.ts'
import { apiOf, hostilePackage } from './hostile-package.ts'
import { startLoneHost, type LoneHost } from './lone-host.ts'
import { createMemoryGroup, type MemoryGroup } from './memory-group.ts'

const perSecond = 200
const leaking = ['leak-a', 'leak-b', 'leak-c']
const pluginBytes = 128 * 1024 * 1024
const tightBytes = 96 * 1024 * 1024
/** Fills memory as fast as possible: between two checks of the host, the kernel may have to kill a process. */
const leak = `(request, response) => {
  response.end('{}')
  const all = []
  setImmediate(() => { while (all.length < 40) all.push(Buffer.alloc(32 * 1024 * 1024, 1)) })
}`

/** Three plugins leak at once beside a good one, in a container with exactly the memory that the host asks for. */
export const sharedMemory: Trial = {
  name: 'leaks in one container',
  run: async ({ quick }): Promise<TrialResult> => {
    const bytes = hostReserveBytes + (leaking.length + 1) * pluginBytes
    await using group = createMemoryGroup(bytes)
    if (!group) return { figures: 'NOT RUN: nobody may make a control group here', faults: [] }
    await using host = await startLoneHost('SQLite', { group: group.folder })
    const spec = { type: 'object', properties: { title: { type: 'string' }, state: { type: 'string' } } }
    const good = { name: 'good', model: { indexes: [{ name: 'spec.state' }] }, spec }
    await installed(
      host,
      'good',
      hostilePackage({ ...good, apis: { echo: "(request, response) => response.end('{}')" } }),
    )
    for (const name of leaking) await installed(host, name, hostilePackage({ name, apis: { leak } }))
    await using load = await startEvenLoad({ url: host.url, token: host.token, perSecond })
    await load.take()
    const faults: string[] = []
    for (let round = 1; round <= (quick ? 2 : 6); round++) {
      faults.push(...(await leakTogether(host, leaking)).map((fault) => `round ${round}: ${fault}`))
    }
    // With less memory, the kernel has to kill a process: the largest plugin. One at a time, because three that share the remaining
    // memory would each be as small as the good one.
    group.leave(tightBytes)
    for (const name of leaking) {
      faults.push(...(await leakTogether(host, [name])).map((fault) => `with too little memory: ${fault}`))
    }
    if (group.kills() === 0) faults.push('the kernel never had to end anybody')
    const { latencies, failed, failures } = await load.take()
    if (failed > 0) faults.push(`${failed} requests to others failed, such as ${failures.join(', ')}`)
    return { figures: figuresOf(group, { bytes, requests: latencies.length, failed }), faults }
  },
}

interface Seen {
  readonly bytes: number
  readonly requests: number
  readonly failed: number
}

function figuresOf(group: MemoryGroup, { bytes, requests, failed }: Seen): string {
  const most = `${group.peakMegabytes().toFixed(0)} of ${bytes / (1024 * 1024)} MiB at most`
  return `${most}, ${group.kills()} ends by the kernel, ${failed} of ${requests} requests to others failed, the host runs`
}

async function leakTogether(host: LoneHost, names: readonly string[]): Promise<readonly string[]> {
  const faults: string[] = []
  await Promise.all(names.map((name) => host.ask('GET', apiOf(name, 'leak'))))
  for (const name of names) {
    const ended = await host
      .untilPlugin(name, ({ status }) => status?.reason === 'BackingOff')
      .catch((error: Error) => void faults.push(error.message))
    const message = ended?.status?.message ?? ''
    if (!/used \d+ MiB of memory|was ended by SIGKILL/.test(message))
      faults.push(`${name} says ${JSON.stringify(message)}`)
  }
  if (!existsSync(`/proc/${host.pid}`)) return [...faults, 'the host has ended']
  for (const name of names) {
    await host
      .untilPlugin(name, ({ status }) => status?.phase === 'Started', 120_000)
      .catch((error: Error) => void faults.push(error.message))
  }
  return faults
}
