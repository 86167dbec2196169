import { openConnections } from '../http/connections.ts'
import { operationsOn } from '../http/operations.ts'
import { startPeople } from '../http/people-host.ts'
import { sending } from '../http/requests.ts'
import type { Part } from '../measure/part.ts'
import { startProfiled, type Profiled } from '../measure/profiled.ts'

const objects = 10_000
const shown = 12

/** CPU profile of a warm host by folder and by function, at one caller and at 32: the cost between HTTP and the database. */
export const profile: Part = async ({ quick }) => {
  await using people = await startPeople(objects)
  await people.host[Symbol.asyncDispose]()
  await using server = await startProfiled(people.url)
  const largest: string[] = []
  const operations = operationsOn(objects)
  for (const callers of [1, 32]) {
    using connections = await openConnections(server.url, callers)
    for (const operation of operations) {
      const count = quick ? 4_000 : 20_000
      const work = manyOf(sending(connections, operation), { callers, count })
      await work()
      const { cpu, profile: sampled } = await server.during(work)
      const rooms = spentBy(sampled, roomOf)
      const sum = rooms.reduce((total, { microseconds }) => total + microseconds, 0)
      /** Samples tell the time with waiting for a processor; the CPU is counted by the kernel. */
      const share = cpu / sum
      console.log(`\n${operation.name}, callers: ${callers}; ${(cpu / count).toFixed(0)} µs of the host a request`)
      for (const spent of [rooms, spentBy(sampled, functionOf)]) {
        for (const { name, microseconds } of spent.slice(0, shown)) {
          const part = `${((100 * microseconds) / sum).toFixed(1).padStart(6)} %`
          console.log(`  ${name.padEnd(64)}${part}${((microseconds * share) / count).toFixed(1).padStart(9)} µs`)
        }
        console.log()
      }
      const [first, second, third] = rooms
      largest.push(`${operation.name} at ${callers}: ${[first, second, third].map((room) => room?.name).join(', ')}`)
    }
  }
  return { figure: `largest costs of a ${largest.join('; of a ')}`, short: [] }
}

/** Keeps `callers` operations in flight until `count` are done; another call goes on counting. */
function manyOf(
  operation: (at: number) => Promise<unknown>,
  { callers, count }: { readonly callers: number; readonly count: number },
): () => Promise<unknown> {
  let next = 0
  return () => {
    const end = next + count
    const caller = async () => {
      while (next < end) await operation(next++)
    }
    return Promise.all(Array.from({ length: callers }, caller))
  }
}

interface Spent {
  readonly name: string
  readonly microseconds: number
}

interface Frame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

function spentBy(
  { nodes, samples = [], timeDeltas = [] }: Profiled['profile'],
  nameOf: (frame: Frame) => string | undefined,
): readonly Spent[] {
  const byNode = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const spent = new Map<string, number>()
  for (const [at, id] of samples.entries()) {
    const name = byNode.get(id)
    if (name !== undefined) spent.set(name, (spent.get(name) ?? 0) + (timeDeltas[at] ?? 0))
  }
  const all = [...spent].map(([name, microseconds]) => ({ name, microseconds }))
  return all.toSorted((a, b) => b.microseconds - a.microseconds)
}

function functionOf(frame: Frame): string | undefined {
  if (isNoWork(frame)) return undefined
  const { functionName, url, lineNumber } = frame
  return `${functionName || 'anonymous'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`
}

/** Undefined without any work. */
function roomOf(frame: Frame): string | undefined {
  if (isNoWork(frame)) return undefined
  const { functionName, url } = frame
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(program)') return 'native code and the system'
  const [, ours] = /packages\/([^/]+\/src(?:\/[^/]+(?=\/))?)/.exec(url) ?? []
  if (ours !== undefined) return ours.replace('/src', '')
  const [, bought] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  if (bought !== undefined) return bought
  return url.startsWith('node:') ? `Node.js, ${url.slice('node:'.length).replace('internal/', '').split('/')[0]}` : 'V8'
}

/** Waiting, and the beginning and end of the profile itself. */
function isNoWork({ functionName, url }: Frame): boolean {
  return functionName === '(idle)' || url === 'node:inspector'
}
