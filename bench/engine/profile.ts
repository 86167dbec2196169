import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPergola } from '../../tests/end-to-end/pergola-process.ts'
import { openConnections } from '../http/connections.ts'
import { sendFor } from '../http/requests.ts'
import type { Part } from '../part.ts'
import { operationsOn, startPeople, type Operation } from './people-host.ts'

const objects = 10_000
const callers = 32
const shown = 12

/** CPU profile of the host by folder: the cost between HTTP and the database. */
export const profile: Part = async ({ quick }) => {
  await using people = await startPeople(objects)
  await people.host[Symbol.asyncDispose]()
  const largest: string[] = []
  for (const operation of operationsOn(objects)) {
    const { rooms, count } = await profiled(people.env, operation, quick ? 4 : 15)
    const sum = rooms.reduce((total, { microseconds }) => total + microseconds, 0)
    console.log(`\n${operation.name} at ${callers} callers: ${(sum / count).toFixed(0)} µs of the host a request`)
    for (const { room, microseconds } of rooms.slice(0, shown)) {
      const part = `${((100 * microseconds) / sum).toFixed(1).padStart(6)} %`
      console.log(`  ${room.padEnd(44)}${part}${(microseconds / count).toFixed(1).padStart(9)} µs`)
    }
    largest.push(
      `${operation.name}: ${rooms
        .slice(0, 3)
        .map(({ room }) => room)
        .join(', ')}`,
    )
  }
  return { figure: `largest costs of a ${largest.join('; of a ')}`, short: [] }
}

interface Room {
  readonly room: string
  readonly microseconds: number
}

async function profiled(
  env: Readonly<Record<string, string>>,
  { request, status }: Operation,
  seconds: number,
): Promise<{ rooms: readonly Room[]; count: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-profile-'))
  try {
    await using host = startPergola({ env: { ...env, NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` } })
    using connections = await openConnections(await host.url(), callers)
    const { count } = await sendFor({ connections, request, status, pid: host.pid, callers, seconds }, 0)
    host.signal('SIGTERM')
    await host.exited
    // Worker threads write smaller profiles beside it.
    const files = readdirSync(folder).map((name) => join(folder, name))
    const [main] = files.toSorted((a, b) => statSync(b).size - statSync(a).size)
    if (main === undefined) throw new Error('the host has left no profile')
    return { rooms: roomsOf(JSON.parse(readFileSync(main, 'utf8')) as Profile), count }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The profile format of V8. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

function roomsOf({ nodes, samples, timeDeltas }: Profile): readonly Room[] {
  const byNode = new Map(nodes.map(({ id, callFrame }) => [id, roomOf(callFrame)]))
  const spent = new Map<string, number>()
  for (const [at, id] of samples.entries()) {
    const room = byNode.get(id)
    if (room !== undefined) spent.set(room, (spent.get(room) ?? 0) + (timeDeltas[at] ?? 0))
  }
  const rooms = [...spent].map(([room, microseconds]) => ({ room, microseconds }))
  return rooms.toSorted((a, b) => b.microseconds - a.microseconds)
}

/** Undefined without any work. */
function roomOf({ functionName, url }: { readonly functionName: string; readonly url: string }): string | undefined {
  if (functionName === '(idle)') return undefined
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(program)') return 'native code and the system'
  const [, ours] = /packages\/([^/]+\/src(?:\/[^/]+(?=\/))?)/.exec(url) ?? []
  if (ours !== undefined) return ours.replace('/src', '')
  const [, bought] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  if (bought !== undefined) return bought
  return url.startsWith('node:') ? `Node.js, ${url.slice('node:'.length).replace('internal/', '').split('/')[0]}` : 'V8'
}
