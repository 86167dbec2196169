import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPergola } from '../../tests/end-to-end/pergola-process.ts'
import { openConnections } from '../http/connections.ts'
import { operationsOn } from '../http/operations.ts'
import { startPeople } from '../http/people-host.ts'
import { sending, type Operation } from '../http/requests.ts'
import { runRound } from '../measure/compete.ts'
import type { Part } from '../measure/part.ts'

const objects = 10_000
const shown = 12

/** CPU profile of the host by folder and by function, at one caller and at 32: the cost between HTTP and the database. */
export const profile: Part = async ({ quick }) => {
  await using people = await startPeople(objects)
  await people.host[Symbol.asyncDispose]()
  const largest: string[] = []
  for (const operation of operationsOn(objects)) {
    for (const callers of [1, 32]) {
      const count = (quick ? 3_000 : 20_000) * (callers === 1 ? 0.5 : 1)
      const { rooms, functions } = await profiled(people.env, operation, { callers, count })
      const sum = rooms.reduce((total, { microseconds }) => total + microseconds, 0)
      console.log(`\n${operation.name}, callers: ${callers}; ${(sum / count).toFixed(0)} µs of the host a request`)
      for (const spent of [rooms, functions]) {
        for (const { name, microseconds } of spent.slice(0, shown)) {
          const part = `${((100 * microseconds) / sum).toFixed(1).padStart(6)} %`
          console.log(`  ${name.padEnd(64)}${part}${(microseconds / count).toFixed(1).padStart(9)} µs`)
        }
        console.log()
      }
      const [first, second, third] = rooms
      largest.push(`${operation.name} at ${callers}: ${[first, second, third].map((room) => room?.name).join(', ')}`)
    }
  }
  return { figure: `largest costs of a ${largest.join('; of a ')}`, short: [] }
}

interface Spent {
  readonly name: string
  readonly microseconds: number
}

async function profiled(
  env: Readonly<Record<string, string>>,
  operation: Operation,
  { callers, count }: { readonly callers: number; readonly count: number },
): Promise<{ rooms: readonly Spent[]; functions: readonly Spent[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-profile-'))
  try {
    await using host = startPergola({ env: { ...env, NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` } })
    using connections = await openConnections(await host.url(), callers)
    const contestant = { processes: { host: [host.pid] }, operation: sending(connections, operation) }
    await runRound(contestant, { callers, count, from: 0 })
    host.signal('SIGTERM')
    await host.exited
    // Worker threads write smaller profiles beside it.
    const files = readdirSync(folder).map((name) => join(folder, name))
    const [main] = files.toSorted((a, b) => statSync(b).size - statSync(a).size)
    if (main === undefined) throw new Error('the host has left no profile')
    const profile_ = JSON.parse(readFileSync(main, 'utf8')) as Profile
    return { rooms: spentBy(profile_, roomOf), functions: spentBy(profile_, functionOf) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface Frame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

/** The profile format of V8. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: Frame
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

function spentBy(
  { nodes, samples, timeDeltas }: Profile,
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

function functionOf({ functionName, url, lineNumber }: Frame): string | undefined {
  if (functionName === '(idle)') return undefined
  return `${functionName || 'anonymous'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`
}

/** Undefined without any work. */
function roomOf({ functionName, url }: Frame): string | undefined {
  if (functionName === '(idle)') return undefined
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(program)') return 'native code and the system'
  const [, ours] = /packages\/([^/]+\/src(?:\/[^/]+(?=\/))?)/.exec(url) ?? []
  if (ours !== undefined) return ours.replace('/src', '')
  const [, bought] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  if (bought !== undefined) return bought
  return url.startsWith('node:') ? `Node.js, ${url.slice('node:'.length).replace('internal/', '').split('/')[0]}` : 'V8'
}
